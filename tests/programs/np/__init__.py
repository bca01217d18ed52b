"""Programs in the manner of the textbooks that use `mx.np`, each a function of the library: `run(mx, show)`.

They begin after `npx.set_np()`. As for the programs of the folder above, MXNet 1.9.1 showed the same.
"""
