import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { contentSecurityPolicy, SONNER_STYLE } from "./content-policy";

const directives = (policy: string) =>
  Object.fromEntries(policy.split("; ").map((directive) => directive.split(/ (.*)/s) as [string, string]));

test("scripts and style elements need the page's nonce; nothing inline is allowed but style attributes", () => {
  const policy = directives(contentSecurityPolicy("abc", { frames: [], forms: [] }));
  expect(policy["script-src"]).toBe("'self' 'nonce-abc' 'strict-dynamic'");
  expect(policy["style-src"]).toMatch(/^'self' 'nonce-abc' 'sha256-\S+' 'sha256-\S+'$/);
  const lax = Object.entries(policy).filter(([, sources]) => /unsafe|\*/.test(sources));
  expect(lax).toEqual([["style-src-attr", "'unsafe-inline'"]]);
});

test("frames and forms of other sites are allowed only where options name them", () => {
  const policy = directives(
    contentSecurityPolicy("abc", { frames: ["https://a.example"], forms: ["https://b.example"] }),
  );
  expect(policy["frame-src"]).toBe("'self' https://a.example");
  expect(policy["form-action"]).toBe("'self' https://b.example");
  expect(directives(contentSecurityPolicy("abc", { frames: [], forms: [] }))["form-action"]).toBe("'self'");
});

test("the style that the toasts bring is the one that the policy knows", () => {
  const source = readFileSync(fileURLToPath(import.meta.resolve("sonner")).replace(/\.js$/, ".mjs"), "utf8");
  const [, style = ""] = /__insertCSS\(("(?:[^"\\]|\\.)*")\)/.exec(source) ?? [];
  expect(SONNER_STYLE).toBe(`'sha256-${createHash("sha256").update(JSON.parse(style)).digest("base64")}'`);
});
