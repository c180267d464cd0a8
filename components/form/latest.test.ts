import { expect, test } from "vitest";
import { createLatest } from "./latest";

test("an answer is used only while its question is the newest, and not after it was dropped", () => {
  const latest = createLatest();
  const shown: string[] = [];
  const first = latest.only((text: string) => shown.push(text));
  const second = latest.only((text: string) => shown.push(text));
  first("effect of an older draft");
  second("effect of the draft");
  expect(shown).toEqual(["effect of the draft"]);
  const closed = latest.only((text: string) => shown.push(text));
  latest.forget();
  closed("opens the dialog again");
  expect(shown).toEqual(["effect of the draft"]);
});
