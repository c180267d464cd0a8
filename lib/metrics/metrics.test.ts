import { expect, test } from "vitest";
import { Answers } from "./answers";
import { Histogram } from "./histogram";
import { JobTotals } from "./job-totals";
import { LabelSet } from "./request-totals";

test("a histogram's buckets hold everything up to their bound, and the last one everything", () => {
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value);
  const values = histogram.samples("x", { model: "m" });
  expect(values.map(({ metricName, labels, value }) => [metricName, labels.le, value])).toEqual([
    ["x_bucket", 0.1, 2],
    ["x_bucket", 1, 3],
    ["x_bucket", "+Inf", 4],
    ["x_sum", undefined, 7.65],
    ["x_count", undefined, 4],
  ]);
  expect(values[4]?.labels).toEqual({ model: "m" });
});

test("answers are counted apart by dialect, operation, status and outcome", () => {
  const answers = new Answers();
  answers.count("openai-chat", "chat", 200, "answered");
  answers.count("openai-chat", "chat", 200, "answered");
  answers.count("openai-chat", "chat", 200, "cut");
  expect(answers.samples({ model: "m" })).toEqual([
    { labels: { model: "m", dialect: "openai-chat", operation: "chat", status: 200, outcome: "answered" }, value: 2 },
    { labels: { model: "m", dialect: "openai-chat", operation: "chat", status: 200, outcome: "cut" }, value: 1 },
  ]);
});

test("codes beyond the bound are counted together, so that nobody can fill memory with them", () => {
  const codes = new LabelSet(2);
  for (const code of ["a", "b", "c", "d", "a"]) codes.count(code, 400);
  expect(codes.samples()).toEqual([
    { labels: { code: "a", status: 400 }, value: 2 },
    { labels: { code: "b", status: 400 }, value: 1 },
    { labels: { code: "other", status: 400 }, value: 2 },
  ]);
});

test("a job that has only failed has no time of success", () => {
  const jobs = new JobTotals();
  jobs.failed("sweep");
  const [runs, , last] = jobs.read();
  expect(runs?.values).toContainEqual({ labels: { task: "sweep", outcome: "failed" }, value: 1 });
  expect(last?.values).toEqual([]);
  jobs.done("sweep", 20);
  expect(jobs.read()[2]?.values).toEqual([{ labels: { task: "sweep" }, value: expect.any(Number) }]);
});
