import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The project of a test file. Derived from the file's content, so that new files need no configuration. */
export type ProjectName = "pure" | "simulation" | "database" | "isolated" | "process";

/** e2e has its own runner. */
const passedOver = /^(node_modules|\.next|dist|e2e|test-results|\..*)$/;
/** Has a configuration of its own, vitest.operations.config.ts. */
const operations = /^tests\/operations\//;
/** Computes for long without a database. A project of its own, so that CI can run it with more seeds. */
const simulates = /^tests\/simulation\/charges\./;
const wholeSystems = /^tests\/(chaos|runtime)\//;
/** Tests of server/ that start processes or set up their own. */
const startsProcesses =
  /^(import .*|\} )from "(node:(child_process|cluster)|@\/instrumentation|[./\w-]+\/(embedded-postgres|children))"/m;
/** vi.mock also affects later files in the same worker. */
const replacesModules = /^\s*vi\.(do)?mock\(/m;
const usesDatabase =
  /^(import .*|\} )from "([@./\w-]+\/testing\/(database|billing)|\.\/database|(\.{1,2}\/)+([\w-]+\/)*([\w-]+-)?harness)"/m;
/** Loading the routes takes seconds. The workers of the database tests have most of them loaded. */
const usesRoutes = /^import .* from "@\/app\//m;

/** Tests of the relay, of any module, about what it keeps in the database. One file for each kind of row and of writer. */
export const storedByTheRelay = [
  "access-tokens|account-in-force|affinity|background|batches|billing-pages|budgets|channel-keys|channel-test|circuits",
  "costs|database-trouble|divided-users|drawings|files|in-force|limits|log-details|minute-limits",
  "model-lists|place-limits|refused-rows|stored-answers|stored-responses|tasks|tasks-lost|tasks-polling",
  "token-operations|token-rotation|videos-money",
].join("|");
/** Attacks on the relay's HTTP, on formats and on providers, which book at most a charge. */
export const attacksOnHttp = [
  "base-urls-that-are-wrong|bodies|body-bombs|denied-calls|empty-answers|endless-body|errors-in-streams|fetched-pictures",
  "files-as-text|idle-connections|mistyped-models|names-of-tools|names-written-twice|orders-to-upstreams|outgoing-proxies",
  "pictures-in-every-form|pipelined-requests|query-string|script-on-our-origin|slow-names|thinking-words|unclear-targets",
  "unknown-relay-paths|unreadable-answers|unserved-methods|untrue-usage|upstream-certificates|usage-objects|usage-of-media",
].join("|");

/**
 * Tests that use the database but whose result cannot depend on its version: what they prove is not a query, a migration or
 * a function, and the SQL that they need on the way (a snapshot, a key, a lease, a booking) is that of every request, which
 * the others run as well. They are left out when the suite is repeated on the oldest PostgreSQL. All files not listed here
 * are repeated. A test of the relay about what it stores belongs into the list above.
 */
export const notAboutSql: { files: RegExp; reason: string }[] = [
  { files: /^tests\/api\/(oauth|next-auth|passkey|turnstile)/, reason: "signing in at or with another service" },
  { files: /^tests\/api\/(content|openapi|palette|pricing|status)\.test/, reason: "what pages and documents say" },
  { files: /^tests\/api\/(rate-limit|security|own-account)\.test/, reason: "cookies, headers and limits in memory" },
  {
    files: new RegExp(`^tests/relay/(?!(\\w+/)?(${storedByTheRelay})\\.test)`),
    reason: "how the relay answers and asks providers",
  },
  { files: new RegExp(`^tests/attacks/(${attacksOnHttp})\\.test`), reason: "the relay's HTTP and formats" },
  {
    files: /^tests\/attacks\/(overspend|realtime-balance|spent-balance|unbounded-answers)/,
    reason: "the most that a request can cost, which is reserved before it is asked",
  },
  {
    files: /^tests\/attacks\/(leaving-early|streams-taken-over)/,
    reason: "what is charged for part of an answer, which is booked like any other charge",
  },
  { files: /^tests\/attacks\/silent-database\.test/, reason: "connections on which nothing is heard" },
  {
    files: /^tests\/attacks\/charges-lost-in-a-crash\.test/,
    reason: "a journal on the disk; lib/billing/ tries what books it",
  },
  {
    files: /^tests\/attacks\/(growing-messages|hostile-arguments)\.test/,
    reason: "what may be sent, before it is read",
  },
  { files: /^tests\/clients\//, reason: "what official clients understand" },
  { files: /^tests\/budgets\//, reason: "what an answer costs the gateway's process" },
  { files: /^lib\/notify\//, reason: "sending to other services" },
];

/** The slowest files start first, so that the run does not end waiting for one of them. */
const longest = [
  "lib/backup/backup.",
  "lib/statistics/rollup.",
  "tests/api/days-in-zones.",
  "tests/api/fuzz.",
  "tests/api/list-filters.",
  "tests/api/list-plans.",
  "tests/attacks/charges-lost-in-a-crash.",
  "tests/attacks/idle-connections.",
  "tests/attacks/openapi-fuzz.",
  "tests/attacks/overspend",
  "tests/attacks/tasks-killed.",
  "tests/budgets/",
  "tests/chaos/",
  "tests/relay/pipeline/failover.",
  "tests/relay/pipeline/faults.",
  "tests/relay/gateway.",
  "tests/relay/pipeline/hedging.",
  "tests/relay/wire/matrix/",
  "tests/runtime/",
  "tests/simulation/",
];

/** Order in which files start: by project, and within a project the slowest first. */
export function compareStart(a: { project: string; path: string }, b: { project: string; path: string }): number {
  const rank = ({ project, path }: { project: string; path: string }) =>
    2 * ["simulation", "pure", "process", "isolated", "database"].indexOf(project) +
    (longest.some((start) => path.startsWith(start)) ? 0 : 1);
  return rank(a) - rank(b);
}

export function projectOf(path: string, text: string): ProjectName {
  if (simulates.test(path)) return "simulation";
  if (wholeSystems.test(path) || (path.startsWith("server/") && startsProcesses.test(text))) return "process";
  if (replacesModules.test(text)) return "isolated";
  return usesDatabase.test(text) || usesRoutes.test(text) ? "database" : "pure";
}

/** All test files by project. `onlySql` leaves out files whose result does not depend on the PostgreSQL version. */
export function listTestFiles(root: string, onlySql: boolean): Record<ProjectName, string[]> {
  const found: Record<ProjectName, string[]> = {
    pure: [],
    simulation: [],
    database: [],
    isolated: [],
    process: [],
  };
  for (const path of testFiles(root)) {
    const text = readFileSync(join(root, path), "utf8");
    const project = projectOf(path, text);
    if (onlySql && !isAboutSql(path, project, text)) continue;
    found[project].push(path);
  }
  return found;
}

function testFiles(root: string): string[] {
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !passedOver.test(entry.name),
  );
  return folders
    .flatMap(({ name }) => readdirSync(join(root, name), { recursive: true }).map((path) => `${name}/${path}`))
    .filter((path) => /\.test\.tsx?$/.test(path) && !operations.test(path))
    .sort();
}

function isAboutSql(path: string, project: ProjectName, text: string): boolean {
  // Process tests start their own PostgreSQL.
  if (project !== "database" && project !== "isolated") return false;
  return usesDatabase.test(text) && !notAboutSql.some(({ files }) => files.test(path));
}
