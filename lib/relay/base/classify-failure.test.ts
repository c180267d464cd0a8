import { describe, expect, test } from "vitest";
import { type AttemptFailure, classifyFailure, type FailureContext } from "./classify-failure";

const context: FailureContext = {
  quirks: {},
  statusCodeMapping: new Map(),
  mayDisable: true,
  disableKeywords: ["exceeded your current quota"],
};

function status(
  code: number,
  error: Partial<Extract<AttemptFailure, { kind: "status" }>["error"]> = {},
): AttemptFailure {
  return {
    kind: "status",
    status: code,
    retryAfterMs: null,
    error: { message: "failed", type: "upstream_error", param: null, code: null, ...error },
  };
}

const NO_CREDIT = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.";

describe("classifyFailure", () => {
  test.each([
    [429, true],
    [307, true],
    [500, true],
    [502, true],
    [504, true],
    [524, true],
    [400, false],
    [408, true],
    [401, true],
    [403, true],
    [404, true],
    [405, true],
  ])("status %i: another channel is tried: %s (contract §4.5)", (code, retry) => {
    expect(classifyFailure(status(code), context).retry).toBe(retry);
  });

  test("400 is retried where it may be the account's fault", () => {
    expect(classifyFailure(status(400), { ...context, quirks: { retriesBadRequest: true } }).retry).toBe(true);
  });

  test("403 switches off where it means a dead key (contract §4.9)", () => {
    const verdict = classifyFailure(status(403), { ...context, quirks: { forbiddenMeansDead: true } });
    expect(verdict.disableReason).toBe("status 403: failed");
  });

  test.each([
    [401, "You have insufficient permissions for this operation. Missing scopes: model.request.", 502],
    [401, "Your project does not have access to model `o3`", 502],
    [403, "You have insufficient permissions for this operation. Missing scopes: api.files.read.", 502],
    [403, "The caller does not have permission", 502],
    [403, "The caller does not have permission to access the File abc or it may not exist.", 403],
    [403, "Your project does not have access to model `o3`", 403],
    [401, "Unauthorized by the MCP server 'mine'", 401],
  ])("status %i, %s: the caller gets %i", (code, message, wanted) => {
    const { reply, fault, disableReason } = classifyFailure(status(code, { message }), context);
    const ofGateway = { type: "upstream_error", code: "upstream_access_refused" };
    expect(reply).toMatchObject({ status: wanted, error: wanted === 502 ? ofGateway : { message } });
    expect([fault, disableReason]).toEqual(["access", null]);
  });

  test.each([
    ["429", status(429), "limited"],
    ["503 that says when", { ...status(503), retryAfterMs: 1_000 } as AttemptFailure, "limited"],
    ["503", status(503), "once"],
    ["500", status(500), "once"],
    ["529", status(529), "once"],
    ["504", status(504), "never"],
    ["401", status(401), "never"],
    ["a used-up account", status(429, { type: "insufficient_quota" }), "never"],
    ["a reset connection", { kind: "network", message: "x", cause: "reset" } as const, "once"],
    ["silence", { kind: "network", message: "x", cause: "timeout_first_byte" } as const, "never"],
  ])("the same channel is asked again after %s: %3$s", (_name, failure, again) => {
    expect(classifyFailure(failure, context).again).toBe(again);
  });

  test("a request that is too long goes to another model only, one that is not allowed nowhere", () => {
    const mapped = { ...context, statusCodeMapping: new Map([[400, 500]]) };
    const long = classifyFailure(status(400, { code: "context_length_exceeded" }), mapped);
    expect(long).toMatchObject({ retry: true, again: "never", fault: "context", keyRestMs: null });
    const refused = classifyFailure(status(400, { code: "content_filter" }), mapped);
    expect(refused).toMatchObject({ retry: false, fault: "policy", keyRestMs: null, reply: { status: 400 } });
  });

  test("a mapped status decides, the caller sees the real one (B316)", () => {
    const verdict = classifyFailure(status(400), { ...context, statusCodeMapping: new Map([[400, 500]]) });
    expect([verdict.retry, verdict.reply.status]).toEqual([true, 400]);
  });

  test.each([
    ["401", status(401), true],
    ["an invalid key by its code", status(400, { code: "invalid_api_key" }), true],
    ["a type that means a dead account", status(403, { type: "permission_error" }), true],
    ["a phrase of the list", status(429, { message: "You EXCEEDED your current QUOTA." }), true],
    ["that phrase in an answer about the request", status(400, { message: "exceeded your current quota" }), false],
    ["Anthropic's 400 for an account without credit", status(400, { message: NO_CREDIT }), true],
    ["those words where a caller's text may be quoted", status(400, { message: `x: ${NO_CREDIT}` }), false],
    ["a server error", status(500), false],
    ["403 alone", status(403), false],
    ["an unreachable upstream", { kind: "network", message: "x", cause: "reset" } as const, false],
  ])("switching off: %s", (_name, failure, disables) => {
    expect(classifyFailure(failure, context).disableReason !== null).toBe(disables);
    expect(classifyFailure(failure, { ...context, mayDisable: false }).disableReason).toBeNull();
  });

  test("a limited key rests as long as the upstream asks for and no longer than two minutes, a refused one 30 s", () => {
    const limited = { ...status(429), retryAfterMs: 3_600_000 } as AttemptFailure;
    expect(classifyFailure(limited, context).keyRestMs).toBe(120_000);
    expect(classifyFailure(status(429), context).keyRestMs).toBe(10_000);
    expect(classifyFailure(status(429, { type: "insufficient_quota" }), context).keyRestMs).toBe(30_000);
    expect(classifyFailure(status(401), context).keyRestMs).toBe(30_000);
  });

  test("an account without credit is the key's fault, also where nothing may be switched off", () => {
    const kept = { ...context, mayDisable: false };
    expect(classifyFailure(status(402), kept).keyRestMs).toBe(30_000);
    expect(classifyFailure(status(400, { code: "Arrearage" }), kept)).toMatchObject({ retry: true, keyRestMs: 30_000 });
    const mapped = { ...kept, statusCodeMapping: new Map([[418, 429]]) };
    expect(classifyFailure(status(418), mapped).keyRestMs).toBe(10_000);
  });

  test.each([
    ["a server error", status(503)],
    ["an unknown model", status(404)],
    ["content that is not allowed, said with 403", status(403, { code: "content_filter" })],
    ["a lost connection", { kind: "network", message: "x", cause: "reset" } as const],
    ["wrong settings", { kind: "setup", message: "x" } as const],
  ])("a key does not rest for %s", (_name, failure) => {
    expect(classifyFailure(failure, context).keyRestMs).toBeNull();
  });

  test("an upstream that is silent is not asked twice, but others are", () => {
    const verdict = classifyFailure({ kind: "network", message: "x", cause: "timeout_first_byte" }, context);
    expect([verdict.retry, verdict.again, verdict.reply.status]).toEqual([true, "never", 504]);
  });

  test("a redirect is no answer for the caller", () => {
    expect(classifyFailure(status(307), context).reply.status).toBe(502);
  });
});
