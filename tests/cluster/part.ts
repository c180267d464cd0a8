import type { Program } from "./program";

/** A part of a system that a test can kill, by SIGKILL, and start again. */
export type Part = { name: string; kill: () => Promise<void>; start: () => void; output: () => string };

/** `start` does nothing while it runs. */
export function restartable(name: string, run: () => Program): Part {
  let program: Program | null = null;
  return {
    name,
    start() {
      if (!program || program.hasEnded()) program = run();
    },
    kill: async () => program?.kill(),
    output: () => program?.output() ?? "",
  };
}
