import { expect, test, vi } from "vitest";
import { AppError } from "./errors";

test("an error of another bundle's class of the same name is an AppError, and nothing else is", async () => {
  vi.resetModules();
  const other = await import("./errors");
  const error: unknown = new other.AppError("unavailable", "databaseAway");
  expect(other.AppError).not.toBe(AppError);
  expect([error, new Error("AppError"), { name: "AppError" }, null].map((value) => value instanceof AppError)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
