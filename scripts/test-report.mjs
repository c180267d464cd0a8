import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/**
 * The result of a runner's JSON report: numbers of passed and failed tests, and each test with its seconds. `isFlaky`:
 * it failed first and passed on retry, `before` says why. `failure`: the first line of why it failed.
 * @typedef {{ name: string, seconds: number, isFlaky: boolean, failure?: string, before?: string }} Test
 * @typedef {{ passed: number, failed: number, tests: Test[] }} Report
 */

const nothing = { passed: 0, failed: 0, tests: [] };

/** One line, without the colours of a terminal. */
function firstLine(text = "no message") {
  return stripVTControlCharacters(text).split("\n", 1)[0].slice(0, 300);
}

/** Playwright says in the lines after the first what was expected where. Lines of the test's source are left out. */
function firstLines(text = "no message") {
  const lines = stripVTControlCharacters(text)
    .split("\n", 12)
    .map((line) => line.trim());
  const isSource = (line) => /^(> )?(\d+ )?\|/.test(line);
  return lines
    .filter((line) => line && !isSource(line))
    .join(" / ")
    .slice(0, 600);
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

/** @returns {Report} */
export function readVitest(file) {
  const report = read(file);
  if (!report) return nothing;
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({
      name: `${relative(process.cwd(), name)} > ${test.fullName}`,
      seconds: (test.duration ?? 0) / 1000,
      isFlaky: test.status === "passed" && test.meta?.isRetry === true,
      ...(test.status === "failed" && { failure: firstLine(test.failureMessages?.[0]) }),
      ...(test.status === "passed" && test.meta?.isRetry && { before: firstLines(test.failureMessages?.[0]) }),
    })),
  );
  // A file that fails to load has no failed tests, so it counts as one failure.
  const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const unloaded = broken.map(({ name, message }) => ({
    name: relative(process.cwd(), name),
    seconds: 0,
    isFlaky: false,
    failure: firstLine(message),
  }));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    tests: [...tests, ...unloaded],
  };
}

function specsOf(suite, path = []) {
  const inside = suite.suites?.flatMap((inner) => specsOf(inner, [...path, inner.title])) ?? [];
  return [...(suite.specs ?? []).map((spec) => ({ ...spec, path })), ...inside];
}

/** @returns {Report} */
export function readPlaywright(file) {
  const report = read(file);
  if (!report) return nothing;
  const tests = report.suites
    .flatMap((suite) => specsOf(suite, [suite.title]))
    .flatMap((spec) =>
      spec.tests.map((test) => ({
        name: `e2e/${[...spec.path, spec.title].join(" > ")}`,
        seconds: test.results.reduce((sum, { duration }) => sum + duration, 0) / 1000,
        isFlaky: test.status === "flaky",
        ...(test.status === "flaky" && { before: firstLines(firstErrors(test.results[0])) }),
        ...(test.status === "unexpected" && {
          failure: firstLine(test.results.findLast(({ error }) => error)?.error.message),
        }),
      })),
    );
  const { expected = 0, flaky = 0, unexpected = 0 } = report.stats ?? {};
  return { passed: expected + flaky, failed: unexpected, tests };
}

/** A test that ran out of time has that as its first error, and where it waited as its last. */
function firstErrors({ errors = [] } = {}) {
  return errors
    .map(
      ({ message, location }) =>
        `${location ? `${relative(process.cwd(), location.file)}:${location.line} ` : ""}${message}`,
    )
    .join("\n");
}

/** The slowest tests of all stages, longest first. */
export function printSlowest(tests, count = 20) {
  const slowest = [...tests].sort((a, b) => b.seconds - a.seconds).slice(0, count);
  if (slowest.length === 0) return;
  console.log(`\nThe ${slowest.length} slowest tests`);
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
}

/** Prints the tests that failed, one per line, with the first line of the reason. */
export function printFailed(tests) {
  for (const { name, failure } of tests) if (failure) console.log(`failed: ${name}: ${failure}`);
}

/** Prints the tests that passed only on retry, one per line, with why they failed first. */
export function printFlaky(tests) {
  const flaky = tests.filter(({ isFlaky }) => isFlaky);
  for (const { name, before } of flaky) console.log(`flaky: ${name}: ${before}`);
  console.log(`${flaky.length} flaky`);
}
