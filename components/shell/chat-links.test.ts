import { describe, expect, test } from "vitest";
import {
  allChatLinks,
  ChatDataError,
  chatLinkAt,
  fillChatLink,
  isOpenable,
  readChats,
  sendsKeyToServer,
} from "./chat-links";

const NOTHING = { chats: null, chatLink: null, chatLink2: null };
const CHATS = JSON.stringify([
  { "Next Web": 'https://next.example/#/?settings={"key":"{key}","url":"{address}"}' },
  { OpenCat: "opencat://team/join?domain={address}&token={key}" },
]);

describe("links of chat clients", () => {
  test("the list keeps the operator's order; every entry is a client (B080)", () => {
    expect(readChats(CHATS).map(({ name }) => name)).toEqual(["Next Web", "OpenCat"]);
    expect(readChats(null)).toEqual([]);
  });

  test.each([
    ["no JSON", "[{"],
    ["no list", '{"a":"b"}'],
    ["a list of texts", '["a"]'],
    ["a link that is no text", '[{"a":1}]'],
    ["a link that would run as a script", '[{"a":"javascript:alert(1)"}]'],
  ])("%s is broken data, not an empty list (B262, B264)", (_what, text) => {
    expect(() => readChats(text)).toThrow(ChatDataError);
  });

  test("a fixed link takes its settings in the fragment; both fixed ones come first (B080)", () => {
    const links = allChatLinks({ chats: CHATS, chatLink: "https://one.example/", chatLink2: "https://two.example" });
    expect(links.map(({ name }) => name)).toEqual(["one.example", "two.example", "Next Web", "OpenCat"]);
    expect(links[0]?.template).toBe('https://one.example/#/?settings={"key":"{key}","url":"{address}"}');
  });

  test("key and address take their places, the address encoded (B080)", () => {
    const link = { name: "c", template: "https://c.example/?a={address}&again={address}#{key}" };
    const address = encodeURIComponent("https://weir.example");
    expect(fillChatLink(link, "sk-abc", "https://weir.example")).toBe(
      `https://c.example/?a=${address}&again=${address}#sk-abc`,
    );
  });

  test("/chat opens ChatLink, else the first client; /chat/1 the second one; beyond the list there is none (B023, B024)", () => {
    expect(chatLinkAt({ ...NOTHING, chats: CHATS }, undefined)?.name).toBe("Next Web");
    expect(chatLinkAt({ ...NOTHING, chats: CHATS, chatLink: "https://one.example" }, undefined)?.name).toBe(
      "one.example",
    );
    expect(chatLinkAt({ ...NOTHING, chats: CHATS }, "1")?.name).toBe("OpenCat");
    expect(chatLinkAt({ ...NOTHING, chats: CHATS }, "2")).toBeNull();
    expect(chatLinkAt({ ...NOTHING, chats: CHATS }, "x")).toBeNull();
    expect(chatLinkAt(NOTHING, undefined)).toBeNull();
  });

  test("a key before the fragment reaches the other site's server, one behind it does not", () => {
    const of = (template: string) => sendsKeyToServer({ name: "c", template });
    expect(of("https://c.example/?key={key}")).toBe(true);
    expect(of("https://c.example/?key={key}#x")).toBe(true);
    expect(of("https://c.example/#/?settings={key}")).toBe(false);
    expect(of("opencat://join?token={key}")).toBe(false);
  });
});

test.each([
  ["https://chat.example/?key={key}", true],
  ["HTTP://chat.example", true],
  ["ama://set-api-key?server={address}&key={key}", true],
  ["opencat://team/join?domain={address}&token={key}", true],
  ["chat.example/?key={key}", false],
  ["not a link", false],
  ["https://", false],
  ["https:chat.example", false],
  ["", false],
])("%s is a link that can be opened: %s (B262)", (template, expected) => {
  expect(isOpenable({ name: "x", template })).toBe(expected);
});
