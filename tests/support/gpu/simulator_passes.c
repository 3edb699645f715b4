/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is preloaded into a process that runs kernels on Oclgrind (see simulator.sh): of LLVM's optimisations, it keeps those
 * that run on each function first. They keep variables in registers, which saves the simulator most of its loads and
 * stores, and touch no memory that work-items share. The later ones, which this drops, call functions that Oclgrind
 * 21.10 lacks.
 */
void hook_passes(void *builder, void *passes) __asm__(
    "_ZN4llvm18PassManagerBuilder25populateModulePassManagerERNS_6legacy15PassManagerBaseE");

/*
 * Replaces llvm::PassManagerBuilder::populateModulePassManager, whose name it has, and which would add passes to the
 * list.
 */
__attribute__((visibility("default"))) void hook_passes(void *builder, void *passes)
{
    (void)builder, (void)passes;
}
