import { expect, test } from "vitest";
import { alertSchema } from "@/lib/alert/schemas";
import { ALERT_METRICS, ALERT_SCOPES, subjectsOf } from "@/lib/alert/types";
import { newDraft, toInput, withMetric, withScope } from "./alert-draft";
import { formatAlertValue, fromTyped, spanOf, toTyped } from "./alert-units";

const dollars = { inCurrency: true, quotaPerUnit: 500_000, symbol: "$" };

test("a new rule can be saved as it is, of every metric, and is typed in money, percent and seconds", () => {
  for (const metric of ALERT_METRICS) {
    const input = toInput(withMetric(newDraft(), metric), dollars);
    expect(alertSchema.safeParse(input).success, metric).toBe(true);
  }
  expect(toInput(newDraft(), dollars)).toMatchObject({ metric: "spend", threshold: 5_000_000 });
  expect(fromTyped("error_rate", "2.5", dollars)).toBe(250);
  expect(fromTyped("latency", "1.5", dollars)).toBe(1_500);
  expect(toTyped("balance", 250_000, dollars)).toBe("0.5");
  expect(fromTyped("spend", " ", dollars)).toBeNaN();
});

test("a threshold is what was typed, exactly, or nothing at all", () => {
  expect(fromTyped("spend", "17179869183.999998", dollars)).toBe(8_589_934_591_999_999);
  expect(toTyped("spend", 8_589_934_591_999_999, dollars)).toBe("17179869183.999998");
  expect(fromTyped("error_rate", "２.5%", dollars)).toBe(250);
  expect(fromTyped("balance", "7", { ...dollars, inCurrency: false })).toBe(7);
  for (const text of ["0x10", "1e3", "Infinity", "1,000", "0.0000001"])
    expect(fromTyped("spend", text, dollars)).toBeNaN();
  expect(fromTyped("error_rate", "2.505", dollars)).toBeNaN();
});

test("the subject always fits scope and metric", () => {
  for (const scope of ALERT_SCOPES) {
    for (const metric of ALERT_METRICS) {
      const draft = withMetric(withScope({ ...newDraft(), subject: "channel", scope: "site" }, scope), metric);
      expect(subjectsOf(scope, metric)).toContain(draft.subject);
    }
  }
});

test("values are read as percent, seconds and money, spans in their largest unit", () => {
  expect(formatAlertValue("error_rate", 1_250, dollars)).toBe("12.5%");
  expect(formatAlertValue("latency", 30_000, dollars)).toBe("30 s");
  expect(formatAlertValue("spend", 5_000_000, dollars)).toBe("$10.00");
  expect(spanOf(604_800)).toEqual({ unit: "days", count: "7" });
  expect(spanOf(900)).toEqual({ unit: "minutes", count: "15" });
});
