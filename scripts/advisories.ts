import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import semver from "semver";

// Whether a package that production has is in a version with a known weakness. The list is in advisories.json, so that the
// check needs no network: each entry has an id, a package, the versions and what it is about.
//   npx tsx scripts/advisories.ts              checks the lock file
//   npx tsx scripts/advisories.ts --refresh    asks npm's registry first, and adds to the list what it knows

/** An id, a package, the versions that have it, and what it is about. */
export type Advisory = [id: string, name: string, range: string, title: string];
type List = { checked: string; advisories: Advisory[] };
type Lock = { packages: Record<string, { version?: string; dev?: boolean; link?: boolean }> };
/** What `npm audit --json` writes, as far as it is read here. */
type Report = {
  error?: { code?: string; summary?: string };
  message?: string;
  vulnerabilities?: Record<string, { via: (string | { name: string; url: string; range: string; title: string })[] }>;
};

const here = dirname(fileURLToPath(import.meta.url));
const listFile = join(here, "advisories.json");

export const readList = (): List => JSON.parse(readFileSync(listFile, "utf8"));

const FOLDER = "node_modules/";

/** The packages of production in a lock file: all that are not for development alone, wherever they are nested. */
export function productionPackages({ packages }: Lock): { path: string; name: string; version: string }[] {
  return Object.entries(packages).flatMap(([path, { dev, version, link }]) => {
    if (path === "" || dev || link || !version) return [];
    return [{ path, name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length), version }];
  });
}

/** A line for each package with a known weakness. */
export function findKnown(lock: Lock, { advisories }: Pick<List, "advisories">): string[] {
  return productionPackages(lock).flatMap(({ path, name, version }) =>
    advisories
      .filter(([, of, range]) => of === name && semver.satisfies(version, range, { includePrerelease: true }))
      .map(([id, , range, title]) => `${path} ${version}: ${id} (${range}) ${title}; ${addressOf(id)}`),
  );
}

export function addressOf(id: string): string {
  return id.startsWith("CVE-") ? `https://www.cve.org/CVERecord?id=${id}` : `https://github.com/advisories/${id}`;
}

/** What `npm audit --json` reports, as entries of the list. Throws where the registry does not answer such questions. */
export function entriesOf(report: Report): Advisory[] {
  if (report.error || !report.vulnerabilities) {
    const why = report.error?.summary || report.error?.code || report.message || "it says nothing of advisories";
    throw new Error(`the registry has no answer: ${why}`);
  }
  const told = Object.values(report.vulnerabilities).flatMap(({ via }) => via.filter((one) => typeof one !== "string"));
  return told.map(({ name, url, range, title }) => [url.slice(url.lastIndexOf("/") + 1), name, range, title]);
}

/** The list with these entries, each once; what the registry says of one replaces what the list said. */
export function withEntries(
  { advisories }: Pick<List, "advisories">,
  entries: readonly Advisory[],
  checked: string,
): List {
  const byKey = new Map([...advisories, ...entries].map((entry) => [`${entry[0]} ${entry[1]}`, entry] as const));
  return { checked, advisories: [...byKey.values()] };
}

function ask(): Promise<string> {
  return new Promise((done) => {
    execFile("npm", ["audit", "--omit=dev", "--json"], { cwd: dirname(here), maxBuffer: 2 ** 26 }, (_error, stdout) =>
      done(stdout),
    );
  });
}

async function refresh(): Promise<void> {
  const text = await ask();
  const entries = entriesOf(text.trim().startsWith("{") ? JSON.parse(text) : { message: "no JSON" });
  const list = withEntries(readList(), entries, new Date().toISOString().slice(0, 10));
  const rows = list.advisories.map((entry) => `    ${JSON.stringify(entry).replaceAll('","', '", "')}`);
  writeFileSync(listFile, `{\n  "checked": "${list.checked}",\n  "advisories": [\n${rows.join(",\n")}\n  ]\n}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    if (process.argv.includes("--refresh")) await refresh();
    const list = readList();
    const found = findKnown(JSON.parse(readFileSync(join(dirname(here), "package-lock.json"), "utf8")), list);
    for (const line of found) console.log(line);
    if (found.length === 0) console.log(`no known advisory, by the list of ${list.checked}`);
    process.exitCode = found.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}
