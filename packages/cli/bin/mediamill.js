#!/usr/bin/env node
import '../dist/commands/client/main.js'
