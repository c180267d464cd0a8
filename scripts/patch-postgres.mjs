// Repairs three faults of postgres 3.4.9 (the first two: porsager/postgres#1208 and #1154), after every install:
// - a write that was put off until the next tick crashes the process when the connection was closed meanwhile, which a
//   transaction whose server dies does every time (its ROLLBACK goes to the closed connection);
// - a connection that was closed with such a write pending never sends anything again;
// - queries that are over keep each other in memory, with all parameters, until a collection of the whole heap. Under load
//   that was two thirds of what outlived its youth in a gateway.
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
  [
    "        query.resolve(results || result)\n",
    "        query.resolve(results || result)\n        query.args = query.parameters = null\n",
  ],
];

if (existsSync(root)) {
  const installed = JSON.parse(readFileSync(new URL("package.json", root), "utf8")).version;
  if (installed === version) for (const build of ["src", "cjs/src"]) repair(new URL(`${build}/connection.js`, root));
  else console.warn(`postgres ${installed}: see whether scripts/patch-postgres.mjs is still needed`);
}

function repair(file) {
  const installed = readFileSync(file, "utf8");
  let text = installed;
  // From the last: the first repair brings in a line that the second would take for a faulty one.
  for (const [faulty, sound] of repairs.toReversed()) {
    if (text.includes(sound)) continue;
    if (!text.includes(faulty)) throw new Error(`${file.pathname} is not what postgres ${version} contains`);
    text = text.replaceAll(faulty, sound);
  }
  // Every start comes through here, perhaps as an account that may only read the packages.
  if (text !== installed) writeFileSync(file, text);
}
