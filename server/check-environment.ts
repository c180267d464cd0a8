import { Resolver } from "node:dns";
import { readFileSync } from "node:fs";
import { assertTlsMode } from "@/db/address-tls";
import { readDatabaseAddress } from "@/db/database-address";
import { parseArchiveUrl } from "@/lib/archive/config";
import { parseAllowedRanges } from "@/lib/egress/address";
import { describeProxyProblem } from "@/lib/egress/outgoing-proxy";
import { type Env, env, environmentProblem, environmentProblems } from "@/lib/env";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { checkTracing } from "@/lib/relay/http/tracing";
import { readTrustedProxies } from "@/lib/request/trusted-proxies";

/** Reads a value that has a form of its own. Throws an error that follows the variable's name in a sentence, without secrets. */
type Check = (value: string) => unknown;

const CHECKS: Partial<Record<keyof Env, Check>> = {
  DATABASE_URL: checkDatabase,
  DATABASE_DIRECT_URL: checkDatabase,
  DATABASE_REPLICA_URL: checkDatabase,
  LOG_STORE_URL: parseLogStoreUrl,
  WEIR_ARCHIVE_URL: parseArchiveUrl,
  TRUST_PROXY: readTrustedProxies,
  WEIR_EGRESS_ALLOW: parseAllowedRanges,
  WEIR_EGRESS_DNS: checkNameServers,
  NODE_EXTRA_CA_CERTS: checkCertificates,
  PGSSLMODE: assertTlsMode,
  ...Object.fromEntries(
    (["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] as const).map((name) => [
      name,
      checkProxy,
    ]),
  ),
};

/**
 * The environment of this installation, judged once, by the process that starts the others. Throws one error that names every
 * variable that cannot be used, with what it may be.
 */
export function checkedEnvironment(): Env {
  const problems = listEnvironmentProblems();
  if (problems.length > 0) throw new Error(environmentProblem(problems));
  return env();
}

/** A line for each variable that cannot be used; [] = none. */
export function listEnvironmentProblems(): string[] {
  const problems = environmentProblems();
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = process.env[name];
    if (!value) continue;
    const words = problemOf(() => check(value));
    if (words !== null) problems.push(startsWithName(words, name));
  }
  if (problems.length > 0) return problems;
  const tracing = problemOf(() => checkTracing(env()));
  return tracing === null ? [] : [tracing];
}

/** Some of these errors name their variable already. */
function startsWithName(words: string, name: string): string {
  return words.startsWith(name) ? words.replace(`${name}:`, name) : `${name} ${words}`;
}

function problemOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).trim();
  }
}

function checkDatabase(value: string): void {
  const { search_path: given, options = "" } = readDatabaseAddress(value, "").session;
  const ofOptions = [...options.matchAll(/(?:^|\s)(?:-c\s*|--)search[-_]path=((?:\\.|\S)*)/g)].map(([, path]) => path);
  // A schema with the name of the account is looked for first by default, too.
  const isPublic = (path = "public"): boolean => /^\s*(?:"?\\?\$user"?\s*,\s*)?"?public"?\s*(?:,|$)/.test(path);
  if (isPublic(given) && ofOptions.every(isPublic)) return;
  throw new Error(
    "names another schema than public, where Weir's tables are. Leave schema, currentSchema and search_path out, in options, too.",
  );
}

function checkNameServers(value: string): void {
  try {
    new Resolver().setServers(value.split(",").map((one) => one.trim()));
  } catch {
    throw new Error(
      `must be addresses of name servers with commas between, e.g. 10.0.0.2,[fd00::2]:53; it is ${JSON.stringify(value.slice(0, 80))}`,
    );
  }
}

/** Node.js only writes a warning, and goes on without it. */
function checkCertificates(path: string): void {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `names a file that cannot be read (${code}): ${path}. Correct its path or its rights, or leave it out`,
    );
  }
  if (!/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(content))
    throw new Error(`names a file without a certificate in PEM: ${path}. Convert it with openssl, or leave it out`);
}

function checkProxy(value: string): void {
  const problem = describeProxyProblem(value);
  if (problem !== null) throw new Error(problem);
}
