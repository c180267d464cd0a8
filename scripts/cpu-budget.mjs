/**
 * The most CPU seconds that a stage of `npm test` may take, all its processes together: about a third more than it takes on
 * the machine of CI. CPU seconds hardly depend on what else a machine does, unlike minutes. Whoever raises one says why in
 * the commit: which tests cost it, and what they prove that nothing else does.
 */
export const cpuBudget = { verify: 250, vitest: 1_150, build: 300, e2e: 2_000 };
