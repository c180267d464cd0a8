/**
 * Who: somebody who pastes a list of forty addresses, origins, domains or patterns with a typo in one of them.
 * What must hold: the list is refused whole, and the error names the line and what stands there, in every list whose entries
 * have a form of their own: in the console's form before it is sent, and by /api.
 */
import { beforeAll, expect, test } from "vitest";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import { entriesOf, findBadEntry } from "@/lib/list-lines";
import { checkOptionText } from "@/lib/option/check";
import { hintsOf } from "@/lib/option/definition";
import { definitionOf, optionKeys } from "@/lib/option/registry";
import type { OptionControl } from "@/lib/option/types";
import { call, setUpApi } from "../api/harness";

const api = setUpApi();

const english = { "accept-language": "en" };
const send = async (line: string, body: object) =>
  (await call(line.includes("/api/token") ? tokenApi : optionApi, line, { as: api.root, body, headers: english })).json;

/** A list with a good entry, an empty line, the bad one and another good one: the bad one is in the third line. */
const around = (good: string, bad: string, separator = "\n") => [good, "", ` ${bad} `, good].join(separator);

const ADDRESSES = [
  "10.0.0.300",
  "10.0.0.0/33",
  "example.com",
  "10.0.0.1, 10.0.0.2",
  "2001:db8::/129",
  "10.0.0.1-10.0.0.9",
  "*",
];

let tokenId: number;
beforeAll(async () => {
  const made = await send("POST /api/token/", { name: "list", unlimited_quota: true });
  expect(made.success).toBe(true);
  const { json } = await call(tokenApi, "GET /api/token/", { as: api.root });
  tokenId = json.data[0].id;
});

for (const field of ["allow_ips", "deny_ips"])
  for (const [way, line] of [
    ["made", "POST /api/token/"],
    ["changed", "PUT /api/token/"],
  ] as const)
    test(`${field} of a key that is ${way}: the error names the line and the entry`, async () => {
      for (const bad of ADDRESSES) {
        const id = way === "changed" ? { id: tokenId } : {};
        const json = await send(line, { name: "list", ...id, [field]: around("10.0.0.0/8", bad) });
        expect(json).toMatchObject({
          success: false,
          message: `Line 3 is neither an address nor a CIDR range: ${bad}`,
        });
      }
    });

test("a list of addresses that is too long says so, and good ones are kept as they are", async () => {
  const long = await send("PUT /api/token/", { id: tokenId, name: "list", allow_ips: "10.0.0.1\n".repeat(1_200) });
  expect(long.message).toBe("The IP list is too long: at most 10,000 characters");
  const good = await send("PUT /api/token/", { id: tokenId, name: "list", allow_ips: " 10.0.0.1\n\n::1 \n10.0.0.0/8" });
  expect(good).toMatchObject({ success: true });
});

/** By the control of an option: entries that are good and bad. A new control of lists needs a row. */
const LISTS: Partial<Record<OptionControl, { good: string; bad: readonly string[] }>> = {
  origins: {
    good: "https://chat.example.com",
    bad: ["https://chat.example.com/path", "chat.example.com", "https://a b"],
  },
  domains: {
    good: "example.com",
    bad: ["@example.com", "*.example.com", "https://example.com", "a b", "-a.com", "a..b"],
  },
  patterns: { good: "abc", bad: ["(", "(a+)+", "x*", "a".repeat(201)] },
};

const lists = optionKeys().flatMap((key) => {
  const { control, choices = [] } = hintsOf(definitionOf(key));
  if (control === "lines" && choices.length > 0)
    return [{ key, control, choices, good: choices[0] ?? "", bad: ["no such word"] }];
  const list = LISTS[control];
  return list ? [{ key, control, choices, ...list }] : [];
});

test("the options with lists are those of cross-origin pages, e-mail domains, captures and dear options", () => {
  expect(lists.map(({ key }) => key).sort()).toEqual([
    "AllowedRequestOptions",
    "CapturePatterns",
    "CorsOrigins",
    "EmailDomainWhitelist",
  ]);
});

for (const { key, control, choices, good, bad: bads } of lists)
  test(`option ${key}: the error names the line and the entry, in the form and over /api`, async () => {
    for (const bad of bads) {
      const text = around(good, bad, control === "domains" ? "," : "\n");
      const shown = bad.length > 60 ? `${bad.slice(0, 60)}…` : bad;
      expect(checkOptionText({ choices, control }, text)).toMatchObject({ line: 3, text: shown });
      const json = await send("PUT /api/option/", { key, value: text });
      expect(json.success).toBe(false);
      expect(json.message).toContain(` 3: ${shown} is not `);
      expect(json.message).toContain(key);
    }
    expect(checkOptionText({ choices, control }, good)).toBeNull();
    expect(await send("PUT /api/option/", { key, value: good })).toMatchObject({ success: true });
  });

test("lines are counted as an editor does, with those that are empty", () => {
  expect(entriesOf("a\n\n  b \r\nc")).toEqual([
    { line: 1, text: "a" },
    { line: 3, text: "b" },
    { line: 4, text: "c" },
  ]);
  expect(findBadEntry("a,b,,c", (text) => text !== "c", ",")).toEqual({ line: 4, text: "c" });
  expect(findBadEntry("\n\n", () => false)).toBeNull();
});
