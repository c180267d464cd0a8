// Whoever may set options, or brings a back-up or another system's options, puts an address that runs a script where the
// console shows a link: it would run with the session of everybody who follows it. No option that becomes a link takes one,
// however it is written; what is in the database already is not shown either.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import { allChatLinks } from "@/components/shell/chat-links";
import { isScriptAddress } from "@/lib/option/image-address";
import { definitionOf, type OptionKey, optionKeys } from "@/lib/option/registry";
import { call, setUpApi } from "../api/harness";

const api = setUpApi();

const SCHEMES = [
  "javascript:alert(1)",
  "vbscript:msgbox(1)",
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD4=",
  "blob:https://weir.example/1",
  "view-source:javascript:1",
  "file:///etc/passwd",
];
/** What browsers overlook in an address. */
const DISGUISES: ((address: string) => string)[] = [
  (address) => address,
  (address) => address.toUpperCase(),
  (address) => `  ${address}`,
  (address) => `\u0001\u001f${address}`,
  (address) => `\u00a0\ufeff${address}`,
  (address) => `${address.slice(0, 3)}\n\t\r${address.slice(3)}`,
  (address) => address.replace(":", "\t:"),
];
const ADDRESSES = SCHEMES.flatMap((address) => DISGUISES.map((disguise) => disguise(address)));

/** Options that become the address of a link, a frame, a picture or a redirect: by their name, which says so. */
const links: OptionKey[] = optionKeys().filter(
  (key) => /(Link2?|URL|Url|Address|Endpoint|Chats|Logo|Image)$/.test(key) && !("secret" in definitionOf(key)),
);
const textOf = (key: OptionKey, address: string): string =>
  key === "Chats" ? JSON.stringify([{ App: address }]) : address;

test("the options that become links are known", () => {
  for (const key of ["TopUpLink", "ChatLink", "ChatLink2", "Chats", "ServerAddress", "Logo"])
    expect(links).toContain(key);
});

describe.each(links)("the option %s", (key) => {
  test("takes no address that runs a script", () => {
    const { schema } = definitionOf(key);
    const taken = ADDRESSES.filter((address) => schema.safeParse(textOf(key, address)).success);
    expect(taken).toEqual([]);
  });
});

test.each(["TopUpLink", "ChatLink", "ChatLink2", "Chats"] as const)("%s takes links to pages and to apps", (key) => {
  for (const address of [
    "",
    "https://shop.example/javascript:1?data:2",
    "/topup",
    "shop.example:8080",
    "ama://set-api-key?server={address}&key={key}",
    "cherrystudio://providers/api-keys?v=1&data={key}",
    "fluent",
  ])
    expect([address, definitionOf(key).schema.safeParse(textOf(key, address)).success]).toEqual([address, true]);
});

test("a refused link is told as one, in a sentence", async () => {
  const body = { key: "TopUpLink", value: "java\tscript:alert(1)" };
  const answer = await call(optionApi, "PUT /api/option/", {
    as: api.root,
    body,
    headers: { "accept-language": "en" },
  });
  expect(answer.json).toMatchObject({
    success: false,
    message: expect.stringContaining("must be a link that runs nothing"),
  });
});

test("chat links that a browser has kept from before are not shown", () => {
  for (const address of ADDRESSES) {
    expect(() =>
      allChatLinks({ chats: JSON.stringify([{ App: address }]), chatLink: null, chatLink2: null }),
    ).toThrow();
    expect(() => allChatLinks({ chats: null, chatLink: address, chatLink2: null })).toThrow();
  }
});

test("no other file judges a scheme by itself", () => {
  const files = ["lib", "app", "components", "tools/import"].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).map((file) => join(root, file)),
  );
  const own = files.filter(
    (file) => /(?<!\.test)\.tsx?$/.test(file) && /javascript\|/.test(readFileSync(file, "utf8")),
  );
  expect(own).toEqual(["lib/option/image-address.ts"]);
  expect(isScriptAddress("https://weir.example")).toBe(false);
});
