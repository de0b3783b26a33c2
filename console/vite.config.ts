import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** A placeholder for the console's path, which is known only at run time. The server replaces it. */
const BASE = '__BASE__/'

// oxlint-disable-next-line import/no-default-export -- Vite reads the default export of its configuration
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The oldest browsers that support light-dark(). For older browsers, Vite would replace light-dark() with its own
    // variables.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    // Omit source maps: they are three times as large as all other files, and the sources are in the repository.
    sourcemap: false,
    modulePreload: { polyfill: false },
  },
  experimental: {
    renderBuiltUrl: (filename, { hostType }) => (hostType === 'html' ? BASE + filename : { relative: true }),
  },
})
