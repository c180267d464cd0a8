import { NextIntlClientProvider } from "next-intl";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { GroupBadge } from "./group-badge";

function render(group: string, locale: "en" | "zh" = "en"): string {
  const messages = locale === "en" ? (en as typeof zh) : zh;
  const props = { locale, messages, timeZone: "UTC", children: createElement(GroupBadge, { group }) };
  return renderToStaticMarkup(createElement(NextIntlClientProvider, props));
}
const hueOf = (group: string) => /\bbg-(\w+)-100\b/.exec(render(group))?.[1];

describe("the tag of a group (A060)", () => {
  test.each([
    ["vip", "yellow"],
    ["pro", "yellow"],
    ["svip", "red"],
    ["premium", "red"],
  ])("%s is %s", (group, hue) => {
    expect(hueOf(group)).toBe(hue);
    expect(render(group)).toContain(`>${group}<`);
  });

  test("any other has the hue that its characters add up to, the same everywhere", () => {
    // The sums of the character codes: default 741, a 97, b 98, c 99; modulo 15 hues.
    expect([hueOf("default"), hueOf("a"), hueOf("b"), hueOf("c")]).toEqual(["sky", "lime", "orange", "pink"]);
  });

  test("an empty one says that it is the user's own group, in the reader's language", () => {
    expect(render("")).toContain(`>${en.token.badge.userGroup}<`);
    expect(render("", "zh")).toContain(">用户分组<");
  });
});
