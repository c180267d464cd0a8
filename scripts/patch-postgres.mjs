// Repairs two faults of postgres 3.4.9 (porsager/postgres#1208 and #1154), after every install:
// - a write that was put off until the next tick crashes the process when the connection was closed meanwhile, which a
//   transaction whose server dies does every time (its ROLLBACK goes to the closed connection);
// - a connection that was closed with such a write pending never sends anything again.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const root = new URL("../node_modules/postgres/", import.meta.url);
const version = "3.4.9";
const mark = "/* repaired by scripts/patch-postgres.mjs */";

const repairs = [
  [
    "    const x = socket.write(chunk, fn)\n",
    `    ${mark}
    if (!socket) {
      clearImmediate(nextWriteTimer)
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options))
      return false
    }
    const x = socket.write(chunk, fn)
`,
  ],
  ["    clearImmediate(nextWriteTimer)\n", "    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n"],
];

if (existsSync(root)) {
  const installed = JSON.parse(readFileSync(new URL("package.json", root), "utf8")).version;
  if (installed === version) for (const build of ["src", "cjs/src"]) repair(new URL(`${build}/connection.js`, root));
  else console.warn(`postgres ${installed}: see whether scripts/patch-postgres.mjs is still needed`);
}

function repair(file) {
  const text = readFileSync(file, "utf8");
  if (text.includes(mark)) return;
  for (const [faulty] of repairs) {
    if (!text.includes(faulty)) throw new Error(`${file.pathname} is not what postgres ${version} contains`);
  }
  // The second repair first: the first one brings in a line of the same text.
  writeFileSync(
    file,
    repairs.toReversed().reduce((repaired, [faulty, sound]) => repaired.replaceAll(faulty, sound), text),
  );
}
