import { NextIntlClientProvider } from "next-intl";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import zh from "@/messages/zh.json";
import { useDrawingLabels } from "./drawing-labels";

// In the order of B167, with the Chinese names of console §4.
const ACTIONS = {
  IMAGINE: "绘图",
  UPSCALE: "放大",
  VARIATION: "变换",
  HIGH_VARIATION: "强变换",
  LOW_VARIATION: "弱变换",
  PAN: "平移",
  DESCRIBE: "图生文",
  BLEND: "图混合",
  UPLOAD: "上传文件",
  SHORTEN: "缩词",
  REROLL: "重绘",
  INPAINT: "局部重绘",
  ZOOM: "变焦",
  CUSTOM_ZOOM: "自定义变焦",
  MODAL: "窗口处理",
  SWAP_FACE: "换脸",
};
const STATUSES = {
  SUCCESS: "成功",
  NOT_START: "未启动",
  SUBMITTED: "队列中",
  IN_PROGRESS: "执行中",
  FAILURE: "失败",
  MODAL: "窗口等待",
  STRANGE: "未知",
};
const CODES = { 1: "已提交", 21: "等待中", 22: "重复提交", 0: "未提交", 5: "未知" };

type Labels = ReturnType<typeof useDrawingLabels>;

type Choice = (labels: Labels) => { text: string };

const Name = ({ choose }: { choose: Choice }) => choose(useDrawingLabels()).text;

function nameOf(choose: Choice): string {
  const props = { locale: "zh" as const, messages: zh, timeZone: "UTC", children: createElement(Name, { choose }) };
  return renderToStaticMarkup(createElement(NextIntlClientProvider, props));
}

// e2e/drawing.spec.ts shows that the list has them in their columns.
test("actions, states and submit codes have the required names and others are unknown (B165, B166, B167, B168)", () => {
  const named = {
    actions: Object.keys(ACTIONS).map((action) => nameOf((labels) => labels.action(action))),
    statuses: Object.keys(STATUSES).map((status) => nameOf((labels) => labels.status(status))),
    codes: Object.keys(CODES).map((code) => nameOf((labels) => labels.code(Number(code)))),
  };
  expect(named).toEqual({
    actions: Object.values(ACTIONS),
    statuses: Object.values(STATUSES),
    codes: Object.values(CODES),
  });
  expect(nameOf((labels) => labels.action("STRANGE"))).toBe("未知");
});
