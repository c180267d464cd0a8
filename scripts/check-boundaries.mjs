import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FOLDER_ORDER } from "./folder-order.mjs";

// Checks the rules of .dependency-cruiser.cjs for each file, and what it cannot express: folders import each other in the
// order of folder-order.mjs and never in a circle. A folder includes everything below it; a file directly in a root counts
// as its own folder. With --write, the pages that show the order get its lists.

const FOLDERS = ["app", "components", "db", "lib", "server", "tools"];
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

/** For each folder of a root, the folders it imports, each with one example import. */
function folderGraph(modules, root) {
  const folderOf = (path) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1).split("/")[0] : undefined);
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

/** Import cycles between folders, each once. Type imports count. */
function folderCircles(graph) {
  const circles = new Map();
  for (const folder of graph.keys()) {
    const circle = circleThrough(graph, folder);
    if (circle) circles.set([...circle].sort().join(), `folders in a circle:\n  ${circle.join("\n  ")}`);
  }
  return [...circles.values()];
}

/** Imports against the order of a root's folders, and folders that it does not name. */
function againstOrder(graph, { root, lines }) {
  const lineOf = (folder) => lines.findIndex(({ folders }) => folders.includes(folder.includes(".") ? "*.ts" : folder));
  const named = lines.flatMap(({ folders }) => folders).filter((folder) => folder !== "*.ts");
  const folders = new Set([...graph].flatMap(([from, imported]) => [from, ...imported.keys()]));
  const mayImport = (from, to) => {
    if (lineOf(from) !== lineOf(to)) return lineOf(from) < lineOf(to);
    return lines[lineOf(from)]?.folders.includes("*.ts") || lines[lineOf(from)]?.also?.[from]?.includes(to);
  };
  const directions = lines.flatMap(({ also = {} }) => Object.entries(also));
  return [
    ...[...folders].filter((folder) => lineOf(folder) < 0).map((folder) => `folder-order.mjs lacks ${root}/${folder}`),
    ...named.filter((folder) => !existsSync(join(root, folder))).map((folder) => `there is no ${root}/${folder}`),
    ...directions.flatMap(([from, uses]) =>
      uses.flatMap((to) => (graph.get(from)?.has(to) ? [] : [`folder-order.mjs: ${from} does not import ${to}`])),
    ),
    ...[...graph].flatMap(([from, imported]) =>
      [...imported].flatMap(([to, example]) => (mayImport(from, to) ? [] : [`against folder-order.mjs: ${example}`])),
    ),
  ];
}

/** The list of a root as its page has it, in lines of at most 120 characters. */
function describeOrder({ lines }) {
  const quote = (names) => names.map((name) => `\`${name}\``).join(", ");
  return lines
    .map(({ folders, about, also = {} }, index) => {
      const names = folders.map((name) =>
        also[name] ? `${quote([name])} (may use ${quote(also[name])})` : quote([name]),
      );
      const text = [names.join(", ").replace("`*.ts`", ""), about].filter(Boolean).join(": ");
      const mark = `${index + 1}. `;
      return mark + text.replaceAll(/(?=.{115})(.{1,114}) /g, `$1\n${" ".repeat(mark.length)}`);
    })
    .join("\n");
}

/** Its page has the list of a root between two marks. Writes it, or says that it differs. */
function staleList(order) {
  const [start, end] = [`<!-- order of ${order.root} -->\n\n`, "\n\n<!-- end -->"];
  const page = readFileSync(order.page, "utf8");
  const list = `${start}${describeOrder(order)}${end}`;
  if (process.argv.includes("--write"))
    writeFileSync(order.page, page.replace(new RegExp(`${start}[^]*?${end}`), list));
  else if (!page.includes(list)) return [`${order.page} differs: node scripts/check-boundaries.mjs --write`];
  return [];
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
const ofFolders = FOLDER_ORDER.flatMap((order) => {
  const graph = folderGraph(modules, order.root);
  return [...folderCircles(graph), ...againstOrder(graph, order), ...staleList(order)];
});
const all = [...breaches, ...ofFolders];
for (const breach of all) console.log(breach);
console.log(`${modules.length} modules, ${all.length} breaches`);
process.exitCode = all.length > 0 ? 1 : 0;
