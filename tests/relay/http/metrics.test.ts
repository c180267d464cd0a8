import { afterAll, beforeAll, expect, test } from "vitest";
import type { Family, Sample } from "@/lib/metrics/family";
import { watchProcess } from "@/lib/metrics/process-figures";
import { chatBody, type Relay, startRelay } from "../harness";

/** What is counted is so a moment after the answer has left. */
const soon = { timeout: 10_000 };

let relay: Relay;
beforeAll(async () => {
  relay = await startRelay({ channels: [{ name: "first" }], gateway: { isMeasured: true } });
});
afterAll(() => relay.close());

function samples(name: string, labels: Sample["labels"] = {}): Sample[] {
  const family = relay.gateway.figures().find((one: Family) => one.name === name);
  return (family?.values ?? []).filter((sample) =>
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
}

function sum(name: string, labels: Sample["labels"] = {}): number {
  return samples(name, labels).reduce((total, { value }) => total + value, 0);
}

test("a request is counted once with its dialect, model, channel and status, and its charge is that of its log row", async () => {
  const { user, token } = await relay.addCaller();
  await relay.post(token.key, chatBody("fake-gpt"));
  await relay.post(token.key, chatBody("fake-gpt", { stream: true }));
  const labels = { model: "fake-gpt", channel_name: "first", status: 200, dialect: "openai-chat", outcome: "answered" };
  await expect.poll(() => sum("weir_requests_total", labels), soon).toBe(2);
  const rows = await relay.logsOf(user);
  const total = (key: "quota" | "prompt" | "completion") => rows.reduce((all, row) => all + row[key], 0);
  expect(sum("weir_charged_quota_total", { model: "fake-gpt" })).toBe(total("quota"));
  expect(sum("weir_charged_money_total", { model: "fake-gpt" })).toBeCloseTo(total("quota") / 500_000, 9);
  expect(sum("weir_tokens_total", { kind: "prompt" })).toBe(total("prompt"));
  expect(sum("weir_tokens_total", { kind: "completion" })).toBe(total("completion"));
  const count = (name: string) => samples(name).find(({ metricName }) => metricName === `${name}_count`)?.value;
  expect(count("weir_request_duration_seconds")).toBe(2);
  expect(count("weir_time_to_first_token_seconds")).toBe(1);
  expect(count("weir_overhead_seconds")).toBe(2);
  expect(sum("weir_flushed_charges_total")).toBeGreaterThanOrEqual(2);
});

test("names and labels keep to the rules of promtool check metrics", () => {
  const families = relay.gateway.figures();
  expect(families.length).toBeGreaterThan(20);
  for (const { name, help, type, values } of [...families, ...watchProcess()()]) {
    const labels = new Set(values.flatMap((sample) => Object.keys(sample.labels)));
    expect([name, help !== "", /^weir_[a-z0-9_]+$/.test(name)]).toEqual([name, true, true]);
    expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
    // Reserved for summaries, and for histograms.
    expect([name, labels.has("quantile"), labels.has("le") && type !== "histogram"]).toEqual([name, false, false]);
    expect([
      name,
      /_(milliseconds|ms|minutes|kilobytes|percent|count|sum|bucket|gauge|counter)(_|$)/.test(name),
    ]).toEqual([name, false]);
  }
});

test("a failed request counts its failed attempts, and charges nothing", async () => {
  const { token } = await relay.addCaller();
  const before = sum("weir_charged_quota_total");
  const answer = await relay.post(token.key, chatBody("fake-error-500"));
  const labels = { model: "fake-error-500", status: answer.status, outcome: "failed" };
  await expect.poll(() => sum("weir_requests_total", labels), soon).toBe(1);
  expect(sum("weir_failed_attempts_total", { channel_name: "first" })).toBeGreaterThan(0);
  expect(sum("weir_charged_quota_total")).toBe(before);
});

test("names that no channel has are counted as other, so that callers cannot fill memory with them", async () => {
  const { token } = await relay.addCaller();
  for (const model of ["made-up-1", "made-up-2"]) {
    await relay.post(token.key, chatBody(model));
  }
  await expect.poll(() => sum("weir_requests_total", { model: "other", outcome: "refused" }), soon).toBe(2);
  expect(samples("weir_requests_total", { model: "made-up-1" })).toEqual([]);
});

test("a refused key is counted by its cause", async () => {
  await relay.post("sk-unknown", chatBody("fake-gpt"));
  await expect.poll(() => sum("weir_refusals_total", { status: 401 }), soon).toBe(1);
});

test("what runs is seen while it runs", async () => {
  const { token } = await relay.addCaller();
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${token.key}`, "content-type": "application/json" };
  const body = chatBody("fake-slow", { stream: true });
  const url = `${relay.url}/v1/chat/completions`;
  const asked = fetch(url, { method: "POST", headers, body, signal: gone.signal }).catch(() => null);
  await expect.poll(() => sum("weir_streams_in_flight"), soon).toBe(1);
  expect(sum("weir_requests_in_flight")).toBe(1);
  expect(sum("weir_leased_quota")).toBeGreaterThan(0);
  gone.abort();
  await asked;
  await expect.poll(() => sum("weir_requests_in_flight"), soon).toBe(0);
});

test("where nobody asks for metrics no request is counted", async () => {
  const unmeasured = await startRelay({ channels: [{}] });
  const { token } = await unmeasured.addCaller();
  await unmeasured.post(token.key, chatBody("fake-gpt"));
  const names = unmeasured.gateway.figures().map(({ name }) => name);
  expect(names).toContain("weir_settler_queue");
  expect(names).not.toContain("weir_requests_total");
  await unmeasured.close();
});
