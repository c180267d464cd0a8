import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { connectionsAllowed, connectionsUsed, processorQuota } from "./machine-share";

const folder = createRunFolder("machine-share");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files as the kernel shows them: those of control groups, and /proc/self/cgroup. */
function groups(name: string, list: string, files: Record<string, string>): number {
  const root = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const listFile = join(folder, `${name}.list`);
  writeFileSync(listFile, list);
  return processorQuota(root, listFile);
}

const V2_POD = "0::/kubepods/pod1/container\n";
const V1_POD = "5:memory:/pod1\n3:cpu,cpuacct:/pod1\n0::/\n";
const twoOf = { "cpu.cfs_quota_us": "200000\n", "cpu.cfs_period_us": "100000\n" };
const under = (path: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [join(path, name), text]));

test.each([
  ["version 2, inside a container", "0::/\n", { "cpu.max": "200000 100000\n" }, 2],
  ["version 2, its own group", V2_POD, { "kubepods/pod1/container/cpu.max": "150000 100000\n" }, 1.5],
  [
    "version 2, a group above",
    V2_POD,
    { "kubepods/pod1/container/cpu.max": "max 100000\n", "kubepods/pod1/cpu.max": "50000 100000\n" },
    0.5,
  ],
  ["version 2 without a limit", "0::/\n", { "cpu.max": "max 100000\n" }, Number.POSITIVE_INFINITY],
  ["version 2 beside version 1", "0::/\n", { "unified/cpu.max": "300000 100000\n" }, 3],
  ["version 1, the path of the host", V1_POD, under("cpu,cpuacct", twoOf), 2],
  ["version 1, its own group", V1_POD, under("cpu/pod1", twoOf), 2],
  [
    "version 1 without a limit",
    V1_POD,
    under("cpu", { "cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n" }),
    Number.POSITIVE_INFINITY,
  ],
  ["no control groups", "", {}, Number.POSITIVE_INFINITY],
])("the processors that a container may use are known: %s", (name, list, files, expected) => {
  expect(groups(name.replaceAll(/\W/g, "-"), list, files)).toBe(expected);
});

test.each([1, 2, 6, 16, 64, 256])(
  "the built-in database allows what %i gateways open, also while each is replaced",
  (gateways) => {
    const { eachGateway, others } = poolsOfDocs();
    expect(connectionsUsed(gateways)).toBe(gateways * eachGateway + others);
    // Three are PostgreSQL's own, for administrators.
    expect(connectionsAllowed(gateways)).toBeGreaterThanOrEqual(2 * (gateways * eachGateway + others) + 3);
  },
);

/** The table of docs/operations/deploy.md, which names every pool. */
function poolsOfDocs(): { eachGateway: number; others: number } {
  const text = readFileSync("docs/operations/deploy.md", "utf8");
  const [, table = ""] = /\| Process +\| Connections .*\n\|[ -:|]+\n((?:\|.*\n)+)/.exec(text) ?? [];
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const counts = rows.map(([, name = "", count]) => ({ name, count: Number(count) }));
  const eachGateway = counts.find(({ name }) => name === "each gateway")?.count ?? 0;
  // Those of a replica are of an installation that has one, and not the built-in database.
  const others = counts.filter(({ name }) => name !== "each gateway" && !name.includes("replica"));
  return { eachGateway, others: others.reduce((sum, { count }) => sum + count, 0) };
}
