// Prints which requirement ids (A001–A232, B001–B325) appear in the names of tests, and which have none yet.
//   node scripts/coverage.mjs            the table and a summary
//   node scripts/coverage.mjs --missing  only the ids without a test
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const ranges = [
  ["A", 232],
  ["B", 325],
];

const files = execFileSync(
  "git",
  ["ls-files", "-co", "--exclude-standard", "--", "*.test.ts", "*.test.tsx", "*.spec.ts"],
  {
    encoding: "utf8",
  },
)
  .split("\n")
  .filter(Boolean);

/** Ids inside the names of tests and describes: the string right after test( or describe(, also after .each(...)(. */
function idsIn(text) {
  const names = text.matchAll(
    /\b(?:test|it|describe)(?:\.\w+)*(?:\([^"'`]*\)|\(\[[\s\S]*?\]\s*(?:as const)?\s*,?\s*\))?\(\s*(["'`])([\s\S]*?)\1/g,
  );
  return [...names].flatMap(([, , name]) => name.match(/\b[AB]\d{3}\b/g) ?? []);
}

const covering = new Map();
for (const file of files) {
  for (const id of idsIn(readFileSync(file, "utf8"))) covering.set(id, (covering.get(id) ?? new Set()).add(file));
}

const ids = ranges.flatMap(([letter, last]) =>
  Array.from({ length: last }, (_, i) => `${letter}${String(i + 1).padStart(3, "0")}`),
);
const missing = ids.filter((id) => !covering.has(id));
if (process.argv.includes("--missing")) {
  console.log(missing.join(" "));
} else {
  for (const id of ids) if (covering.has(id)) console.log(`${id}  ${[...covering.get(id)].join(", ")}`);
  console.log(`${ids.length - missing.length} of ${ids.length} ids have a test`);
}
