// 2^40 templates.
template <int DEPTH, long PATH> struct tree {
    static const long size = tree<DEPTH - 1, 2 * PATH>::size + tree<DEPTH - 1, 2 * PATH + 1>::size;
};
template <long PATH> struct tree<0, PATH> { static const long size = 1; };
long leaves = tree<40, 0>::size;
