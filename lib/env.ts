import { z } from "zod";

const flag = z
  .string()
  .optional()
  .transform((value) => (value ?? "").trim());

const schema = z.object({
  NODE_ENV: z.string().default("development"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default("0.0.0.0"),
  DATABASE_URL: z.string().optional(),
  WEIR_DATA_DIR: z.string().default(".data"),
  WEIR_SECRET: z.string().optional(),
  WEIR_GATEWAY_WORKERS: z.coerce.number().int().min(1).max(256).optional(),
  WEIR_ROLES: z.string().default("gateway,console,worker"),
  WEIR_CONSOLE_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  WEIR_ROOT_PASSWORD: z.string().optional(),
  WEIR_LOG_LEVEL: z.string().default("info"),
  /** Comma-separated addresses or CIDR ranges of reverse proxies whose X-Forwarded-* headers are believed. */
  TRUST_PROXY: flag,
});

export type Env = z.infer<typeof schema>;

/** The process environment, checked. Throws a ZodError that names each bad variable. Read afresh on every call. */
export function env(): Env {
  return schema.parse(process.env);
}
