/* An extension of JupyterLab, version 4: cells that begin with %%nvcc or %%cuda are coloured as C++, not as Python.
 *
 * It is written by hand in the form that JupyterLab loads (a container of webpack's module federation: init gets the modules that
 * are shared, get hands out the plugin), so nothing has to be built. JupyterLab gives every code cell the kernel's language;
 * here each cell is watched, and gets another one when its first line says so. */
(() => {
    const CUDA_CELL = /^\s*%%(nvcc|cuda)\b/;
    const CUDA_TYPE = "text/x-c++src";
    let shared;

    /* The modules that JupyterLab shares are listed by name and version. */
    const load = async (name) => {
        const versions = Object.values(shared[name]);
        return (await versions[0].get())();
    };

    const colour = (model) => {
        if (CUDA_CELL.test(model.sharedModel.getSource())) {
            if (model.mimeType !== CUDA_TYPE) {
                model.nvccOtherType = model.mimeType;
                model.mimeType = CUDA_TYPE;
            }
        } else if (model.mimeType === CUDA_TYPE && model.nvccOtherType) {
            model.mimeType = model.nvccOtherType;
        }
    };

    const watched = new WeakSet();
    const watchCell = (model) => {
        if (model.type !== "code" || watched.has(model)) return;
        watched.add(model);
        colour(model);
        model.contentChanged.connect(() => colour(model));
        model.mimeTypeChanged.connect(() => colour(model)); // JupyterLab sets it again when the kernel starts
    };

    const watchNotebook = (panel) => {
        const watchAll = () => {
            for (const model of panel.content.model?.cells ?? []) watchCell(model);
        };
        const watchModel = () => {
            watchAll();
            panel.content.model?.cells.changed.connect(watchAll);
        };
        watchModel();
        panel.content.modelChanged.connect(watchModel);
    };

    const plugin = async () => {
        const { INotebookTracker } = await load("@jupyterlab/notebook");
        return {
            id: "nvcc-highlighting:plugin",
            description: "Colours %%nvcc cells as CUDA C.",
            autoStart: true,
            requires: [INotebookTracker],
            activate: (app, tracker) => {
                tracker.forEach(watchNotebook);
                tracker.widgetAdded.connect((_, panel) => watchNotebook(panel));
            },
        };
    };

    window._JUPYTERLAB = window._JUPYTERLAB || {};
    window._JUPYTERLAB["nvcc-highlighting"] = {
        init: (scope) => {
            shared = scope;
        },
        get: async () => {
            const made = await plugin();
            return () => ({ __esModule: true, default: made });
        },
    };
})();
