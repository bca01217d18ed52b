// The table of kernels at the end of each module: for each kernel, a function that runs one thread with a list of
// arguments.
#pragma once

namespace emulator {

template <unsigned... i> struct Places {};

template <class F> struct Signature;

template <class... A> struct Signature<void (*)(A...)> {
    static constexpr unsigned count = sizeof...(A);

    struct List { Parameter each[count + 1]; };

    // Parameters are packed in order, each aligned to its type.
    static constexpr List list() {
        List result{};
        unsigned offset = 0, i = 0;
        const unsigned sizes[] = {sizeof(A)..., 0}, alignments[] = {alignof(A)..., 1};
        const bool pointers[] = {std::is_pointer<A>::value..., false};
        for (; i < count; ++i) {
            offset = (offset + alignments[i] - 1) / alignments[i] * alignments[i];
            result.each[i] = {offset, sizes[i], pointers[i]};
            offset += sizes[i];
        }
        result.each[count] = {offset, 0, false};
        return result;
    }

    static constexpr unsigned bytes() {
        unsigned widest = 1;
        const unsigned alignments[] = {alignof(A)..., 1};
        for (unsigned alignment : alignments) widest = alignment > widest ? alignment : widest;
        return (list().each[count].offset + widest - 1) / widest * widest;
    }

    static constexpr List parameters = list();

    // The list of arguments is the driver's memory: reading it does not count as an access by the kernel.
    template <void (*kernel)(A...), unsigned... i>
    __attribute__((no_sanitize("thread"), always_inline)) static inline void spread(
        void **arguments, Places<i...>) {
        kernel(*static_cast<std::remove_cv_t<A> *>(arguments[i])...);
    }

    template <void (*kernel)(A...)> __attribute__((no_sanitize("thread"))) static void call(void **arguments) {
        spread<kernel>(arguments, Places<__integer_pack(count)...>());
    }
};

template <auto kernel> inline Kernel entry(const char *name, const char *names, unsigned threads) {
    using S = Signature<decltype(kernel)>;
    return {name, names, reinterpret_cast<const void *>(kernel), S::template call<kernel>, S::parameters.each,
            S::count, S::bytes(), threads};
}

// The first argument of __launch_bounds__.
constexpr unsigned bound(unsigned threads, unsigned = 0, unsigned = 0) { return threads; }

}  // namespace emulator
