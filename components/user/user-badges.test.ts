import { NextIntlClientProvider } from "next-intl";
import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import en from "@/messages/en.json";
import type zh from "@/messages/zh.json";
import { RoleBadge, UserStatus } from "./user-badges";

function textOf(children: ReactNode): string {
  const props = { locale: "en" as const, messages: en as typeof zh, timeZone: "UTC", children };
  return renderToStaticMarkup(createElement(NextIntlClientProvider, props)).replace(/<[^>]*>/g, "");
}

// e2e/user.spec.ts shows them in the list of users.
test.each([
  { role: 1, status: 1, shown: ["User", "Active"] },
  { role: 10, status: 2, shown: ["Admin", "Banned"] },
  { role: 100, status: 1, shown: ["Super admin", "Active"] },
  { role: 5, status: 9, shown: ["Unknown role", "Unknown"] },
])("level $role and state $status are told in words (A114, A116)", ({ role, status, shown }) => {
  const state = createElement(UserStatus, { status, deleted: false });
  expect([textOf(createElement(RoleBadge, { role })), textOf(state)]).toEqual(shown);
});
