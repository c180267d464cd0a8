import { describe, expect, it } from "vitest";
import { identifier, literal, literals } from "./escape";

describe("values in statements", () => {
  it("keep quotes, backslashes and line breaks inside their literal", () => {
    expect(literal("a' or 1=1 --")).toBe("'a\\' or 1=1 --'");
    expect(literal("a\\' or 1=1 --")).toBe("'a\\\\\\' or 1=1 --'");
    expect(literal("\\")).toBe("'\\\\'");
    expect(literal("\0\n\r\t\b\f")).toBe("'\\0\\n\\r\\t\\b\\f'");
    expect(literal("😀 ’ \ud83d")).toBe("'😀 ’ \ufffd'");
  });

  it("are whole numbers without an exponent, and nothing that ClickHouse would read otherwise", () => {
    expect(literal(2 ** 53)).toBe("9007199254740992");
    expect(literal(1e21)).toBe("1000000000000000000000");
    expect(literal(true)).toBe("1");
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, null, undefined, {}, [1]]) {
      expect(() => literal(value)).toThrow("no literal");
    }
    expect(literals(["a", 1])).toBe("('a', 1)");
    expect(() => literals([])).toThrow("empty list");
  });

  it("are names only within their quotes", () => {
    expect(identifier("a`; drop")).toBe("`a\\`; drop`");
  });
});
