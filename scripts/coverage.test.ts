import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";

const scripts = dirname(fileURLToPath(import.meta.url));
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

// Built at run time, so that the checker finds no invalid citation in this file.
const section = (number: string) => `contract \u00a7${number}`;
const testOf = (...ids: string[]) => `test("it works (${ids.join(", ")})", () => {});\n`;
const [FIRST, SECOND, UNKNOWN] = [1, 2, 999].map((number) => `A${String(number).padStart(3, "0")}`) as [
  string,
  string,
  string,
];

/** Runs a script in a temporary repository with these files, two requirements, a contract, and a test of both requirements. */
function run(script: string, files: Record<string, string>) {
  const folder = createRunFolder("coverage");
  folders.push(folder);
  const all: Record<string, string> = {
    "package.json": JSON.stringify({ scripts: { test: "vitest" } }),
    "docs/requirements.md": `- **${FIRST}** It starts.\n- **${SECOND}** It stops.\n\n- **T1** Both at once.\n`,
    "docs/contract.md": "# Contract\n\n## \u00a71 Calls\n\n### \u00a71.2 Limits\n\n- **no. 3**: none.\n",
    "docs/console.md": "# Console\n\n## \u00a74 Names\n",
    "lib/both.test.ts": testOf(FIRST, SECOND),
    ...files,
  };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  spawnSync("git", ["init", "--quiet"], { cwd: folder });
  const { status, stderr, stdout } = spawnSync(process.execPath, [join(scripts, script), "--check"], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, stderr, stdout };
}

describe("requirements, tests and citations", () => {
  test("what is proved and what is cited passes", () => {
    const code = `/** Starts (${FIRST}, ${section("1.2")} no. 3, \u00a71; decision T1). See console \u00a74, RFC 9110 \u00a77 and WHATWG HTML \u00a79.2. */\n`;
    expect(run("coverage.mjs", { "lib/start.ts": code })).toMatchObject({
      status: 0,
      stderr: "",
      stdout: "2 of 2 ids have a test\n",
    });
  });

  test.each([
    [
      "a test names an id that no requirement has",
      "lib/x.test.ts",
      testOf(UNKNOWN),
      `lib/x.test.ts:1: ${UNKNOWN} is not in`,
    ],
    ["a requirement has no test", "lib/both.test.ts", testOf(FIRST), `${SECOND} of docs/requirements.md has no test`],
    ["a comment cites an unknown id", "lib/x.ts", `let x; // ${UNKNOWN}\n`, `lib/x.ts:1: ${UNKNOWN} is not in`],
    ["a comment cites an unknown decision", "lib/x.ts", "/* decision T2 */", "lib/x.ts:1: T2 is not in"],
    [
      "a comment cites an unknown section",
      "lib/x.ts",
      `\n// ${section("1.3")}`,
      "lib/x.ts:2: contract \u00a71.3 is not in",
    ],
    [
      "a test's name cites an unknown section",
      "e2e/x.spec.ts",
      `test("x (${section("9")})"`,
      "contract \u00a79 is not in",
    ],
    [
      "a list of sections ends in an unknown one",
      "lib/x.ts",
      `// ${section("1.2")}, \u00a78`,
      "contract \u00a78 is not in",
    ],
    ["a section lacks the item", "lib/x.ts", `// ${section("1.2")} no. 4`, "contract \u00a71.2 has no no. 4"],
    ["a citation names no document", "lib/x.ts", "// See \u00a71", "\u00a71 names no document"],
    ["a document cites an unknown section", "README.md", `See ${section("5.1")}.`, "README.md:1: contract \u00a75.1"],
  ])("fails when %s", (_, file, text, message) => {
    const { status, stderr } = run("coverage.mjs", { [file]: text });
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(status).toBe(1);
  });
});

describe("what documents name", () => {
  test("paths from the root or beside the document, links, headings and scripts that are there pass", () => {
    const text =
      "See `lib/`, lib/both.test.ts, `both.test.ts` and [calls](docs/contract.md#1-calls); npm run test; `lib/*/x.ts`.";
    expect(run("doc-paths.mjs", { "README.md": text, "lib/README.md": "`both.test.ts`, `/v1/models`" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  test.each([
    ["a path in code", "\n`lib/gone.ts`", "README.md:2: lib/gone.ts does not exist"],
    ["a path in prose", "See lib/gone.", "lib/gone does not exist"],
    ["a bare file name", "`gone.ts`", "gone.ts does not exist"],
    ["a path in a block", "```\nlib/gone.ts  does it\n```", "lib/gone.ts does not exist"],
    ["a link", "[x](docs/gone)", "the link docs/gone leads nowhere"],
    ["a heading", "[x](docs/contract.md#gone)", "docs/contract.md has no heading #gone"],
    ["a script", "`npm run gone`", "package.json has no script gone"],
  ])("fails when %s is not there", (_, text, message) => {
    const { status, stderr } = run("doc-paths.mjs", { "README.md": text });
    expect(stderr).toContain(message);
    expect(status).toBe(1);
  });
});
