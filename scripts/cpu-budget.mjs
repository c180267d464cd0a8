/**
 * The most CPU seconds that a stage of scripts/test.mjs may take, all its processes together: about half more than it takes on
 * two cores that are busy besides. CPU seconds hardly depend on what else a machine does, unlike minutes. Whoever raises one says why in
 * the commit: which tests cost it, and what they prove that nothing else does.
 */
export const cpuBudget = {
  verify: 200,
  vitest: 1_600,
  build: 200,
  e2e: 1_600,
  operations: 650,
  sql: 430,
  "node-library": 170,
  alone: 400,
};
