import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app/global.css'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { styleNonce } from './app/page-settings.ts'

// Dialogs create a style element to lock scrolling. The content security policy requires this nonce for it.
if (styleNonce !== '') setNonce(styleNonce)

const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<App />)
