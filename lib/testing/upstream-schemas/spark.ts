import { z } from "zod";

const DOMAINS = [
  ...["lite", "generalv2", "generalv3", "pro-128k", "generalv3.5", "max-32k", "4.0Ultra", "x1", "spark-x"],
];

/** https://www.xfyun.cn/doc/spark/Web.html and https://www.xfyun.cn/doc/spark/X1ws.html: the request */
const chat = z.strictObject({
  domain: z.enum(DOMAINS),
  temperature: z.number().positive().max(2).optional(),
  top_k: z.int().min(1).max(6).optional(),
  top_p: z.number().positive().max(1).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  max_tokens: z.int().min(1).max(131_072).optional(),
  chat_id: z.string().optional(),
  thinking: z.strictObject({ type: z.enum(["enabled", "disabled", "auto"]) }).optional(),
  function_choice: z.string().min(1).optional(),
});

const message = z.strictObject({ role: z.enum(["system", "user", "assistant"]), content: z.string().min(1) });

const definition = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  parameters: z.looseObject({ type: z.literal("object"), properties: z.record(z.string(), z.unknown()) }),
});

/** Domains that call functions, those that take system messages, and those that think. */
const CALL = new Set(["generalv3", "pro-128k", "generalv3.5", "max-32k", "4.0Ultra"]);
const TAKE_SYSTEM = new Set(["generalv3.5", "max-32k", "4.0Ultra", "x1", "spark-x"]);
const THINK = new Set(["x1", "spark-x"]);
const OF_THOSE_THAT_THINK = ["thinking", "top_p", "presence_penalty", "frequency_penalty"] as const;

/** The header with the application's id comes from the key, after the request has been translated. */
export const sparkRequest = z
  .strictObject({
    header: z.strictObject({ app_id: z.string().min(1), uid: z.string().max(32).optional() }).optional(),
    parameter: z.strictObject({ chat }),
    payload: z.strictObject({
      message: z.strictObject({ text: z.array(message).min(1) }),
      functions: z.strictObject({ text: z.array(definition).min(1) }).optional(),
    }),
  })
  .superRefine(({ parameter, payload }, context) => {
    const { domain, temperature = 1, ...given } = parameter.chat;
    const wrong = (text: string) => context.addIssue({ code: "custom", message: text });
    const roles = payload.message.text.map(({ role }) => role);
    if (roles.includes("system") && !TAKE_SYSTEM.has(domain)) wrong(`${domain} takes no system message`);
    if (roles.indexOf("system", 1) !== -1) wrong("a system message must be the first");
    if (roles.some((role, at) => at > 0 && role === roles[at - 1])) wrong("roles must take turns");
    if (payload.functions && !CALL.has(domain)) wrong(`${domain} calls no functions`);
    if (!payload.functions && given.function_choice) wrong("there is no function to choose");
    if (!THINK.has(domain)) {
      if (temperature > 1) wrong("temperature is above 1");
      for (const name of OF_THOSE_THAT_THINK) if (given[name] !== undefined) wrong(`${domain} has no ${name}`);
    }
  });
