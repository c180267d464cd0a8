import { NextIntlClientProvider } from "next-intl";
import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { Duration } from "./duration";
import { useTaskLabels } from "./task-labels";

const STATUSES = {
  SUCCESS: "成功",
  NOT_START: "未启动",
  SUBMITTED: "队列中",
  IN_PROGRESS: "执行中",
  FAILURE: "失败",
  QUEUED: "排队中",
  UNKNOWN: "未知",
  "": "正在提交",
};
const KINDS = [
  { action: "MUSIC", platform: "suno", names: ["生成音乐", "Suno"] },
  { action: "LYRICS", platform: "suno", names: ["生成歌词", "Suno"] },
  { action: "DANCE", platform: "udio", names: ["未知", "未知"] },
];

type Labels = ReturnType<typeof useTaskLabels>;

function render(children: ReactNode, locale: "en" | "zh" = "zh"): string {
  const props = { locale, messages: locale === "en" ? (en as typeof zh) : zh, timeZone: "UTC", children };
  return renderToStaticMarkup(createElement(NextIntlClientProvider, props));
}

type Choice = (labels: Labels) => { text: string };

const Name = ({ choose }: { choose: Choice }) => choose(useTaskLabels()).text;
const nameOf = (choose: Choice) => render(createElement(Name, { choose }));

// e2e/task.spec.ts shows that the list has them in their columns.
test("states, actions and platforms have the required names and others are unknown (B169, B170)", () => {
  const states = Object.keys(STATUSES).map((status) => nameOf((labels) => labels.status(status)));
  expect(states).toEqual(Object.values(STATUSES));
  for (const { action, platform, names } of KINDS) {
    const shown = [nameOf((labels) => labels.action(action)), nameOf((labels) => labels.platform(platform))];
    expect(shown).toEqual(names);
  }
});

test("a duration is red above 60 seconds, and a dash while the task runs (B294)", () => {
  const submitMs = 1_795_000_000_000;
  const shown = (ms: number) => render(createElement(Duration, { submitMs, finishMs: submitMs + ms }), "en");
  expect(shown(60_000)).toMatch(/class="[^"]*\bbg-green-100\b[^"]*"[^>]*>60\.0 s</);
  expect(shown(60_100)).toMatch(/class="[^"]*\bbg-red-100\b[^"]*"[^>]*>60\.1 s</);
  expect(render(createElement(Duration, { submitMs, finishMs: 0 }), "en")).toBe("—");
});
