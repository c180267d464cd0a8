import { z } from "zod";

const message = z.strictObject({ role: z.enum(["system", "user", "assistant"]), content: z.string().min(1) });

/** https://open.bigmodel.cn/doc/api: the model API v3. */
export const zhipuV3Request = z
  .strictObject({
    prompt: z.array(message).min(1),
    temperature: z.number().positive().max(1).optional(),
    top_p: z.number().positive().lt(1).optional(),
    request_id: z.string().optional(),
    incremental: z.boolean().optional(),
    return_type: z.enum(["json_string", "text"]).optional(),
    ref: z.strictObject({ enable: z.boolean(), search_query: z.string() }).optional(),
  })
  .refine(
    ({ prompt }) => prompt.every(({ role }, at) => role !== "system" || (at === 0 && prompt[1]?.content === "Okay")),
    "a system message comes first, and the user says Okay to it",
  );
