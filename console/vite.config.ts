import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server puts the console's own path here: it is known only where the service runs. */
const BASE = '__BASE__/'

// oxlint-disable-next-line import/no-default-export -- Vite reads the default export of its configuration
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The browsers that support light-dark(): Vite would otherwise rewrite it into variables of its own.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    // No source maps: they are three times as large as all that is served, and the sources are in the repository.
    sourcemap: false,
    modulePreload: { polyfill: false },
  },
  experimental: {
    renderBuiltUrl: (filename, { hostType }) => (hostType === 'html' ? BASE + filename : { relative: true }),
  },
})
