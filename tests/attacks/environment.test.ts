// Variables of the environment: one table, from which the page in docs is made, and outside of which no code reads any. A start with
// a wrong one is refused by its name, with what it may be, before anything else is started.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ENVIRONMENT_NAMES, type Env, env, listVariables } from "@/lib/env";
// @ts-expect-error: it runs before anything is installed, so it is plain JavaScript
import { loadEnvFile } from "@/scripts/env-file.mjs";
import { listEnvironmentProblems } from "@/server/check-environment";
import { WRONG } from "./wrong-variables";

const folder = mkdtempSync(join(tmpdir(), "weir-environment-"));
afterEach(() => vi.unstubAllEnvs());

const ANY_TEXT = new Set([
  ...["NODE_ENV", "HOST", "WEIR_DATA_DIR", "WEIR_JOURNAL_DIR", "WEIR_BACKUP_PASSPHRASE", "WEIR_ROOT_PASSWORD"],
  ...["WEIR_METRICS_HOST", "WEIR_BASE_PATH", "WEIR_IMPORT_FROM", "NO_PROXY", "no_proxy"],
]);

test.each(Object.entries(WRONG))("%s=%s is refused by name, with what it may be, and no secret", (name, value) => {
  expect(listEnvironmentProblems()).toEqual([]);
  vi.stubEnv(name, value);
  const problems = listEnvironmentProblems();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^${name} .{10}`));
  expect(problems[0]).not.toMatch(/HID|DEN/);
});

test.each([
  "schema=app",
  "currentSchema=app",
  "search_path=app,public",
  "options=-c%20search_path%3Dapp",
  "options=-c%20work_mem%3D5MB%20-csearch_path%3Dapp,public",
  "options=--search_path%3Dapp",
])("DATABASE_URL with %s is refused: the tables of Weir are in public", (query) => {
  vi.stubEnv("DATABASE_URL", `postgres://weir:HIDDEN@db/weir?${query}`);
  expect(listEnvironmentProblems()).toEqual([expect.stringMatching(/^DATABASE_URL names another schema than public/)]);
  for (const fine of ["schema=public", "search_path=%22$user%22,public", "options=-c%20search_path%3Dpublic,app"]) {
    vi.stubEnv("DATABASE_URL", `postgres://weir:HIDDEN@db/weir?${fine}`);
    expect(listEnvironmentProblems(), fine).toEqual([]);
  }
});

test("every variable of the table has a value that is refused, or takes any text", () => {
  const open = ENVIRONMENT_NAMES.filter(
    (name) => WRONG[name] === undefined && !ANY_TEXT.has(name) && !/^(OTEL|PG)/.test(name),
  );
  expect(open).toEqual([]);
});

test.each([
  ["OTEL_TRACES_EXPORTER", "console"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_METRICS_EXPORTER", "prometheus"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "//collector:4318/v1/traces"],
  ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://collector:port"],
])("%s=%s is refused where there are traces, and has no effect where there are none", (name, value) => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318");
  vi.stubEnv(name, value);
  expect(listEnvironmentProblems()).toEqual([expect.stringMatching(/^OTEL_[A-Z_]+.{10}/)]);
  vi.stubEnv("OTEL_SDK_DISABLED", "true");
  expect(listEnvironmentProblems()).toEqual([]);
});

/** What a variable could be before each was checked, and still must be. */
const STILL: [string, string, unknown][] = [
  ...["", "true", "1", "yes", "on", "TRUE"].map((value): [string, string, unknown] => ["WEIR_MIGRATE", value, true]),
  ...["false", "0", "no", "off", "False "].map((value): [string, string, unknown] => ["UPDATE_TASK", value, false]),
  ...["", "false", "0", "no", "off"].map((value): [string, string, unknown] => ["WEIR_SMTP_INSECURE", value, false]),
  ...["true", "1", "yes", "on"].map((value): [string, string, unknown] => ["WEIR_SMTP_INSECURE", value, true]),
  ["PORT", "", 3000],
  ["WEIR_GATEWAY_WORKERS", "", undefined],
  ["WEIR_LOG_LEVEL", "", "info"],
  ["TRUST_PROXY", "false", "false"],
  ["WEIR_REQUEST_LOG", "0.25", 0.25],
  ["WEIR_DRAIN_SECONDS", "1.5", 1.5],
];
test.each(STILL)("%s=%j still lets Weir start", (name, value, expected) => {
  vi.stubEnv(name, value);
  expect(listEnvironmentProblems()).toEqual([]);
  expect(env()[name as keyof Env]).toBe(expected);
});

test("words are taken in any case, and with blanks around them", () => {
  vi.stubEnv("WEIR_LOG_LEVEL", " INFO ");
  vi.stubEnv("WEIR_MIGRATE", "Off");
  vi.stubEnv("UPDATE_TASK", " TRUE");
  vi.stubEnv("PORT", " 3001 ");
  expect(env()).toMatchObject({ WEIR_LOG_LEVEL: "info", WEIR_MIGRATE: false, UPDATE_TASK: true, PORT: 3001 });
});

/** Of the system and of tools, and names in samples for callers: nothing for the operator of Weir. */
const OTHERS =
  /^(PATH|HOME|TMPDIR|CI|npm_execpath|NEXT_TELEMETRY_DISABLED|__NEXT_PRIVATE_STANDALONE_CONFIG|AUTH_TRUST_HOST|BENCH_[A-Z_]+|WEIR_FORMAT|WEIR_(TOKEN|ACCESS_TOKEN|API_KEY))$/;

test("no code reads a variable that is not in the table", () => {
  const folders = ["lib", "server", "app", "db", "components", "bin", "tools/import"].flatMap((name) =>
    readdirSync(name, { recursive: true, encoding: "utf8" }).map((file) => join(name, file)),
  );
  const files = [...folders, "proxy.ts", "next.config.ts"].filter(
    (file) =>
      /\.(ts|tsx|mjs)$/.test(file) &&
      !/\.test\.tsx?$|^lib\/testing\/|^bin\/commands\/bench|^components\/token\/snippets/.test(file),
  );
  expect(files.length).toBeGreaterThan(1_000);
  const known = new Set(ENVIRONMENT_NAMES);
  const unknown = files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const read = [...text.matchAll(/process\.env(?:\.(\w+)|\["(\w+)"\])|\b(WEIR_[A-Z][A-Z_]*[A-Z])\b/g)];
    const names = read.map(([, dotted, indexed, named]) => dotted ?? indexed ?? named ?? "");
    return names.filter((name) => !known.has(name) && !OTHERS.test(name)).map((name) => `${file}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

test("README names only variables of the table", () => {
  const named =
    readFileSync("README.md", "utf8").match(/`((?:WEIR|DATABASE|OTEL|GLOBAL_API|ACCESS_TOKEN|CRITICAL)_[A-Z_]+)/g) ??
    [];
  expect(named.length).toBeGreaterThan(20);
  expect(named.map((name) => name.slice(1)).filter((name) => !ENVIRONMENT_NAMES.includes(name))).toEqual([]);
});

test("the page of the variables is made from the table; vitest -u writes it", async () => {
  const rows = listVariables().map(({ name, fallback, allowed, meaning }) => {
    const cells = [`\`${name}\``, fallback === "" ? "none" : `\`${fallback}\``, allowed, meaning];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  const page = `# Variables of the environment

All are read once, by the process that starts the others. A wrong one is refused with its name and what it may be; secrets are not
shown. An empty variable counts as unset. They may stand in a file \`.env\`, too: with or without \`export\` and quotes, in UTF-8 or
UTF-16, with any line ends. This page is made from \`lib/env.ts\` by \`npx vitest run tests/attacks/environment.test.ts -u\`.

| Variable | Default | What it may be | Meaning |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
  await expect(page).toMatchFileSnapshot("../../docs/operations/environment.md");
});

describe("a file .env", () => {
  const lines = [
    "WEIR_A=1",
    'export WEIR_B="x y"',
    "WEIR_C='z'",
    "WEIR_D=postgres://a:b@c/d",
    "# words",
    "",
    "WEIR_E = 5",
  ];
  const expected = { WEIR_A: "1", WEIR_B: "x y", WEIR_C: "z", WEIR_D: "postgres://a:b@c/d", WEIR_E: "5" };
  const utf8 = (end: string): Buffer => Buffer.from(lines.join(end));
  test.each([
    ["as it is", utf8("\n")],
    ["with a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), utf8("\n")])],
    ["with CRLF and a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), utf8("\r\n")])],
    ["with CR", utf8("\r")],
    ["in UTF-16", Buffer.from(`\uFEFF${lines.join("\r\n")}`, "utf16le")],
    ["in UTF-16 BE", Buffer.from(`\uFEFF${lines.join("\r\n")}`, "utf16le").swap16()],
  ])("%s is read whole", (_, bytes) => {
    const path = join(folder, "env");
    writeFileSync(path, bytes);
    const read: NodeJS.ProcessEnv = {} as NodeJS.ProcessEnv;
    loadEnvFile(path, read);
    expect(read).toEqual(expected);
  });

  test("does not change what is set, may be missing, and is named when it cannot be read", () => {
    const path = join(folder, "env");
    writeFileSync(path, "WEIR_A=file\nWEIR_B=file\n");
    const read = { WEIR_A: "set" } as unknown as NodeJS.ProcessEnv;
    loadEnvFile(path, read);
    expect(read).toEqual({ WEIR_A: "set", WEIR_B: "file" });
    loadEnvFile(join(folder, "none"), read);
    expect(() => loadEnvFile(folder, read)).toThrow(`${folder} cannot be read (EISDIR)`);
  });
});

test("a start with wrong variables ends at once with all of their names, and nothing was started or made", async () => {
  const data = join(folder, "data");
  const env = {
    ...process.env,

    TRUST_PROXY: "10.0.0",
    HTTPS_PROXY: "http://u:HID#DEN@p:1",
    WEIR_DATA_DIR: data,
  };
  const child = spawn(process.execPath, ["--import", "tsx", "server/main.ts"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += String(bytes)));
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(1);
  for (const name of ["TRUST_PROXY", "HTTPS_PROXY"]) expect(output).toContain(`  ${name} `);
  expect(output).not.toMatch(/HID#DEN/);
  expect(existsSync(data)).toBe(false);
}, 60_000);
