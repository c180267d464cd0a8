import { z } from "zod";
import { CIRCUIT_CAUSES } from "@/lib/row-status";
import { id, jsonText, limit, quota, seconds } from "./rows";

// The objects about channels in /api responses.

const channelCircuit = z
  .strictObject({
    model: z.string().meta({ description: "The upstream's name of the model" }),
    cause: z.enum(CIRCUIT_CAUSES),
    opened_at: seconds,
    rest_seconds: z.int().min(0).meta({ description: "Until a single request tries the channel again" }),
    probing: z.boolean().meta({ description: "That request is on its way" }),
  })
  .meta({ id: "ChannelCircuit" });

export const channelRow = z
  .strictObject({
    id,
    type: z.int(),
    key: z.literal(""),
    openai_organization: z.string(),
    test_model: z.string(),
    status: z.int().min(0).max(3),
    name: z.string(),
    weight: z.int().min(0),
    created_time: seconds,
    test_time: seconds,
    response_time: z.int().min(0).meta({ description: "Milliseconds" }),
    base_url: z.string(),
    other: z.string(),
    balance: z.number(),
    balance_updated_time: seconds,
    models: z.string(),
    group: z.string(),
    used_quota: quota,
    model_mapping: jsonText,
    status_code_mapping: jsonText,
    priority: z.int(),
    auto_ban: z.int(),
    other_info: jsonText,
    tag: z.string().nullable(),
    setting: jsonText,
    param_override: jsonText,
    circuits: z
      .array(channelCircuit)
      .meta({ description: "Open circuits: models for which the channel is tried last" }),
    requests_per_minute: limit,
    tokens_per_minute: limit,
    concurrency_limit: limit,
  })
  .meta({ id: "Channel" });

export const channelKeyRow = z
  .strictObject({
    id,
    fingerprint: z.string(),
    status: z.int().min(1).max(3),
    reason: z.string(),
    status_time: seconds,
    created_time: seconds,
  })
  .meta({ id: "ChannelKey" });

export const testRun = z
  .strictObject({
    total: z.int(),
    started_at: seconds,
    finished_at: z.int().nullable(),
    results: z.array(
      z.strictObject({
        id,
        name: z.string(),
        model: z.string(),
        success: z.boolean(),
        message: z.string(),
        status: z.int().optional(),
        tls: z.string().optional().meta({ description: "Why there was no secure connection" }),
        verdict: z.string(),
        time: z.number().meta({ description: "Seconds" }),
      }),
    ),
  })
  .meta({ id: "ChannelTestRun" });
