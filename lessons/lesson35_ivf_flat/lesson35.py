# wheel: package
import numpy as np, time, sys
import ivf_flat
rng=np.random.default_rng(1)
x=rng.normal(size=(2000,20)).astype(np.float32); q=rng.normal(size=(33,20)).astype(np.float32)
def t(name,f):
    s=time.time(); r=f(); print(name, round(time.time()-s,2)); return r
flat=ivf_flat.Flat(20).add(x)
ref=((q[:,None].astype(np.float64)-x[None])**2).sum(2)
order=np.argsort(ref,1,kind="stable")[:,:10]
for v in (1,2):
    d,i=t("v%d"%v,lambda: flat.search(q,10,v)); print((i==order).all(), np.abs(d-np.take_along_axis(ref,order,1)).max())
for lay,vs in (("rows",[3]),("groups",[4,5])):
    ind=ivf_flat.Index(20,32,layout=lay); t("train",lambda: ind.train(x)); t("add",lambda: ind.add(x))
    print(ind.refilled, ind.list_lengths().sum())
    for v in vs:
        D,I=t("v%d"%v,lambda: ind.search(q,10,32,v)); print((I==i).all(),(D==d).all())
        D,I=t("v%d"%v,lambda: ind.search(q,10,4,v)); print((I==i).mean(), ind.fraction_read(q,4))
