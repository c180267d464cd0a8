import { describe, expect, test } from "vitest";
import { type BulkRow, planStep } from "./bulk-plan";

const row: BulkRow = {
  id: 1,
  name: "a",
  status: 3,
  tag: null,
  group: "default,vip",
  models: "gpt-4o,o3",
  priority: 5,
  weight: 0,
};

describe("what a change of many makes of one row", () => {
  test("names are added, taken away or put in place of all, each once, in their order", () => {
    const models = (how: "add" | "remove" | "replace", ...names: string[]) =>
      planStep(row, { kind: "models", how, names });
    expect(models("add", "o3", "m1")).toEqual({ kind: "change", before: "gpt-4o,o3", after: "gpt-4o,o3,m1" });
    expect(models("remove", "o3", "x")).toMatchObject({ after: "gpt-4o" });
    expect(models("replace", "b", "a", "b")).toMatchObject({ after: "b,a" });
    expect(models("add", "o3")).toEqual({ kind: "same" });
  });

  test("a row that would be left without models or groups is refused, not emptied", () => {
    expect(planStep(row, { kind: "models", how: "remove", names: ["gpt-4o", "o3"] })).toEqual({
      kind: "refused",
      reason: "bulkNoModelLeft",
    });
    expect(planStep(row, { kind: "groups", how: "remove", names: ["vip", "default"] })).toMatchObject({
      reason: "bulkNoGroupLeft",
    });
  });

  test("status, tag, priority and weight are values; the same value is no change", () => {
    expect(planStep(row, { kind: "enable" })).toEqual({ kind: "change", before: 3, after: 1 });
    expect(planStep({ ...row, status: 2 }, { kind: "disable" })).toEqual({ kind: "same" });
    expect(planStep(row, { kind: "tag", tag: null })).toEqual({ kind: "same" });
    expect(planStep({ ...row, tag: "t" }, { kind: "tag", tag: null })).toEqual({
      kind: "change",
      before: "t",
      after: null,
    });
    expect(planStep(row, { kind: "priority", value: -3 })).toMatchObject({ after: -3 });
    expect(planStep(row, { kind: "weight", value: 0 })).toEqual({ kind: "same" });
  });
});
