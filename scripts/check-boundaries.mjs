import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Checks the rules of .dependency-cruiser.cjs for each file, and one rule it cannot express: folders of lib/ must not
// import each other in a circle. A folder includes everything below it; a file directly in lib/ counts as its own folder.

const FOLDERS = ["app", "components", "db", "lib", "server"];
/** Tests may import anything. */
const IS_TEST = /\.test\.tsx?$|^lib\/testing\//;

/** The JSON result of dependency-cruiser. */
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

/** For each folder, the folders it imports, each with one example import. */
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

/** The shortest import cycle through a folder as a list of imports, or null. */
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

/** Import cycles between folders of lib/, each once, as lists of imports. Type imports count. */
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
// With an unsupported TypeScript version dependency-cruiser finds no modules and reports success.
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
