import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// The rules of .dependency-cruiser.cjs, file by file, and one that it cannot say: the folders of lib/ import each other in
// one direction. A folder counts with everything below it; a file right under lib/ counts as a folder of its own.

const FOLDERS = ["app", "components", "db", "lib", "server"];
/** Tests may use anything that is there. */
const IS_TEST = /\.test\.tsx?$|^lib\/testing\//;

/** What dependency-cruiser found, as it says it in JSON. */
function cruise() {
  const cli = join("node_modules", "dependency-cruiser", "bin/dependency-cruise.mjs");
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [cli, ...FOLDERS, "--output-type", "json"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.once("error", fail);
    child.once("close", () => {
      try {
        done(JSON.parse(output));
      } catch (error) {
        fail(new Error(`dependency-cruiser said: ${output.slice(0, 2_000)}`, { cause: error }));
      }
    });
  });
}

function folderOf(path) {
  return /^lib\/[^/]+/.exec(path)?.[0];
}

/** Folder → folder it imports → an import that makes it so. */
function folderGraph(modules) {
  const graph = new Map();
  for (const { source, dependencies } of modules) {
    const from = folderOf(source);
    if (!from || IS_TEST.test(source)) continue;
    for (const { resolved } of dependencies) {
      const to = folderOf(resolved);
      if (!to || to === from) continue;
      if (!graph.has(from)) graph.set(from, new Map());
      graph.get(from).set(to, `${source} imports ${resolved}`);
    }
  }
  return graph;
}

/** The shortest way from a folder back to itself as a list of imports, or null. */
function circleThrough(graph, start) {
  const waysTo = new Map([[start, []]]);
  for (const [folder, way] of waysTo) {
    for (const [next, example] of graph.get(folder) ?? []) {
      if (next === start) return [...way, example];
      if (!waysTo.has(next)) waysTo.set(next, [...way, example]);
    }
  }
  return null;
}

/** Folders of lib/ that import each other in a circle, each circle once, as lists of imports. Type imports count. */
function folderCircles(modules) {
  const graph = folderGraph(modules);
  const circles = new Map();
  for (const folder of graph.keys()) {
    const circle = circleThrough(graph, folder);
    if (circle) circles.set([...circle].sort().join(), circle);
  }
  return [...circles.values()];
}

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const { modules, summary } = await cruise();
// With an unsupported TypeScript it sees nothing and is content.
if (modules.length < 20) throw new Error(`only ${modules.length} modules were looked at`);
const breaches = summary.violations
  .filter(({ rule }) => rule.severity === "error")
  .map(
    ({ rule, from, to, cycle }) => `${rule.name}: ${from} → ${cycle ? cycle.map(({ name }) => name).join(" → ") : to}`,
  );
const circles = folderCircles(modules).map((imports) => `folders in a circle:\n  ${imports.join("\n  ")}`);
for (const breach of [...breaches, ...circles]) console.log(breach);
console.log(`${modules.length} modules, ${breaches.length + circles.length} breaches`);
process.exitCode = breaches.length + circles.length > 0 ? 1 : 0;
