import { describe, expect, test } from "vitest";
import { dialects } from "../../wire/dialects";
import { type Identified, identify } from "./identity";

const LONG = 8_192;

function ask(json: Record<string, unknown>, rest: Partial<Identified> = {}, dialect = "openai-chat") {
  const conversation = dialects.get(dialect)?.client.readConversation(json);
  if (!conversation) throw new Error("no such dialect");
  return identify({ userId: 1, model: "m", headers: {}, promptBytes: LONG, conversation, ...rest });
}

const user = (content: unknown) => ({ role: "user", content });
const system = { role: "system", content: "You are a weir." };
const reply = { role: "assistant", content: "The river runs." };

describe("affinity: which conversation a request belongs to", () => {
  test("a header goes before prompt_cache_key, that before user, that before the beginning", () => {
    const json = { prompt_cache_key: "k", user: "u", messages: [user("hello")] };
    expect(ask(json, { headers: { "x-session-id": "s" } })?.by).toBe("header");
    expect(ask(json, { headers: { session_id: "s" } })?.by).toBe("header");
    expect(ask(json)?.by).toBe("prompt_cache_key");
    expect(ask({ ...json, prompt_cache_key: undefined })?.by).toBe("user");
    expect(ask({ messages: json.messages })?.by).toBe("prefix");
    expect(ask({ metadata: { user_id: "u" }, messages: json.messages }, {}, "anthropic-messages")?.by).toBe("user");
    expect(ask({ messages: [] })).toBeNull();
  });

  test("users, models and sources are apart from each other", () => {
    const json = { prompt_cache_key: "k", messages: [user("hello")] };
    const keys = [
      ask(json),
      ask(json, { userId: 2 }),
      ask(json, { model: "n" }),
      ask(json, { headers: { "x-session-id": "k" } }),
      ask({ user: "k", messages: json.messages }),
    ].map((identity) => identity?.key);
    expect(new Set(keys).size).toBe(5);
  });

  test("the turns of a conversation begin alike, whatever follows, is marked for the cache or is spaced otherwise", () => {
    const first = ask({ messages: [system, user("hello")] });
    expect(ask({ messages: [system, user("hello"), reply, user("and then?")] })).toEqual(first);
    expect(ask({ messages: [system, user("another")] })?.key).not.toBe(first?.key);
    expect(ask({ messages: [{ ...system, content: "Another." }, user("hello")] })?.key).not.toBe(first?.key);
    const marked = { type: "text", text: "hello", cache_control: { type: "ephemeral" } };
    const messages = [user([marked])];
    const plain = ask({ system: "You are a weir.", messages: [user("hello")] }, {}, "anthropic-messages");
    expect(ask({ system: [{ type: "text", text: "You are a weir." }], messages }, {}, "anthropic-messages")).toEqual(
      plain,
    );
  });

  test("a prompt too short to be cached is not guessed about, but may be named", () => {
    const short = { promptBytes: 4_095 };
    expect(ask({ messages: [user("hello")] }, short)).toBeNull();
    expect(ask({ user: "u", messages: [user("hello")] }, short)).toBeNull();
    expect(ask({ prompt_cache_key: "k", messages: [] }, short)?.by).toBe("prompt_cache_key");
  });

  test("names of any length and type are read up to a bound", () => {
    const long = "x".repeat(5_000_000);
    expect(ask({ prompt_cache_key: long })).toEqual(ask({ prompt_cache_key: long.slice(1) }));
    expect(ask({ prompt_cache_key: 7, user: { a: 1 }, messages: [user(null), 5, null] })).toBeNull();
    expect(ask({ messages: [null, user([null, 5, { text: 7 }])] })).toBeNull();
    expect(ask({ messages: "text", system: 5, metadata: [] }, {}, "anthropic-messages")).toBeNull();
    const many = Array.from({ length: 100_000 }, () => ({ type: "text", text: "y".repeat(50) }));
    const startedAt = performance.now();
    expect(ask({ messages: [user(many)] })?.by).toBe("prefix");
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
