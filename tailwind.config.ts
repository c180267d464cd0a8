import type { Config } from "tailwindcss";

const config: Config = {
  darkMode: ["selector", ".dark"],
  content: ["./app/**/*.tsx", "./components/**/*.tsx"],
};

export default config;
