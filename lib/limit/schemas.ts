import { z } from "zod";

/** Requests or tokens in a minute; 0 = no limit. */
export const perMinuteField = z
  .number("limitInvalid")
  .int("limitInvalid")
  .min(0, "limitInvalid")
  .max(1_000_000_000, "limitInvalid");

/** Requests at once; 0 = no limit. */
export const concurrencyField = z
  .number("concurrencyInvalid")
  .int("concurrencyInvalid")
  .min(0, "concurrencyInvalid")
  .max(100_000, "concurrencyInvalid");

/** Quota of a day, week or month; 0 = no limit. The maximum is that of a balance. */
const budgetField = z
  .number("budgetInvalid")
  .int("budgetInvalid")
  .min(0, "budgetInvalid")
  .max(1_000_000_000_000_000, "budgetInvalid");

export const budgetFields = { budgetDay: budgetField, budgetWeek: budgetField, budgetMonth: budgetField };
